"""English: closed classes and common words, written for this project."""

from discourse_nmt.discourse.coreference.lexicons.word_lists import (
    ANYONE,
    BODY,
    FEMININE,
    MAN,
    MASCULINE,
    NEUTER,
    PERSON,
    PLURAL,
    SEVERAL,
    SINGULAR,
    SOMEONE,
    SPEAKING,
    THING,
    TOLD,
    UNKNOWN,
    WOMAN,
    ReferringWords,
    pronouns,
    words,
)

PRONOUN_ROWS = (
    ("i", SINGULAR, PERSON, "i me my mine myself"),
    ("we", PLURAL, PERSON, "we us our ours ourselves 's"),
    ("you", UNKNOWN, PERSON, "you your yours yourself yourselves ya y'all"),
    ("he", SINGULAR, MASCULINE, "he him his himself"),
    ("she", SINGULAR, FEMININE, "she her hers herself"),
    ("it", SINGULAR, NEUTER, "it its itself"),
    ("they", PLURAL, UNKNOWN, "they them their theirs themselves themself 'em"),
    ("this", SINGULAR, NEUTER, "this"),
    ("that", UNKNOWN, UNKNOWN, "that"),
    ("these", PLURAL, UNKNOWN, "these"),
    ("those", PLURAL, UNKNOWN, "those"),
    ("which", UNKNOWN, NEUTER, "which"),
    ("who", UNKNOWN, PERSON, "who whom whose"),
    ("what", UNKNOWN, NEUTER, "what whatever"),
    ("one", SINGULAR, UNKNOWN, "one ones oneself"),
    ("each", UNKNOWN, UNKNOWN, "each other another both all some any none many most several few"),
    ("someone", SINGULAR, PERSON, "someone somebody anyone anybody everyone everybody noone nobody"),
    ("something", SINGULAR, NEUTER, "something anything everything nothing"),
    ("here", UNKNOWN, NEUTER, "here there"),
    ("now", UNKNOWN, NEUTER, "now then today tonight tomorrow yesterday"),
)
REFERENTS = {
    "i": ANYONE | SPEAKING,
    "we": SEVERAL | BODY | SPEAKING,
    "you": ANYONE | SEVERAL | BODY | SPEAKING,
    "he": MAN | TOLD,
    "she": WOMAN | TOLD,
    "it": THING | BODY | TOLD,
    "they": SOMEONE | BODY | SEVERAL | TOLD,
    "which": THING | BODY | SEVERAL | TOLD,
    "someone": ANYONE | SEVERAL | TOLD,
    "something": THING | BODY | TOLD,
    "here": THING | BODY | TOLD,
    "now": THING | TOLD,
}
SPEAKING_WORDS = words("i me my mine myself we us our ours ourselves you your yours yourself yourselves")
SAYING = words(
    "say tell ask answer reply respond cry shout call whisper murmur mutter add explain exclaim announce declare "
    "state claim continue begin start repeat insist suggest remark observe comment note think wonder write warn "
    "promise admit agree argue beg demand inquire enquire laugh sigh sob scream yell snap groan growl hiss gasp "
    "protest object retort remind assure inform order command greet interrupt conclude concede confess recall joke "
    "plead stammer urge tweet"
)
ADDRESSING = words("to at")
REFLEXIVE = words("myself ourselves yourself yourselves himself herself itself themselves themself oneself")

DETERMINERS = {
    **dict.fromkeys(("the",), "definite"),
    **dict.fromkeys(("a", "an", "another"), "indefinite"),
    **dict.fromkeys(("this", "that", "these", "those", "such"), "demonstrative"),
    **dict.fromkeys(("my", "our", "your", "his", "her", "its", "their", "whose"), "possessive"),
    **dict.fromkeys(("some", "any", "no", "every", "each", "all", "both", "many", "several", "few"), "quantified"),
}

# Titles, kinship and roles, then given names.
MASCULINE_WORDS = words(
    "mr mr. mister sir lord king prince duke emperor baron earl tsar sultan man men boy boys guy guys gentleman "
    "gentlemen father dad daddy papa son brother uncle nephew godfather stepfather grandfather grandpa granddad "
    "grandson stepson husband boyfriend fiancé groom bridegroom widower bachelor actor waiter monk friar priest bishop "
    "pope rabbi imam businessman chairman congressman policeman salesman spokesman fisherman fireman craftsman "
    "horseman nobleman gunman statesman cowboy landlord fellow dude bloke chap lad wizard god señor monsieur herr "
)
MASCULINE_NAMES = words(
    "aaron abdul abraham adam adrian ahmed aidan alan albert alejandro alexander alfonso alfred ali allan allen andre "
    "andrew andy angus anthony antonio archie arnold arthur asher barack barry bart basil ben benedict benjamin benny "
    "bernard bernie bert bill billy bob bobby boris brad bradley brandon brendan brent brett brian bruce bruno bryan "
    "caleb calvin carl carlos cecil cedric chad charles charlie chester chris christian christopher chuck clarence "
    "claude clifford clint clive clyde cody colin conor craig curtis cyril damian dan daniel danny darren darwin dave "
    "david dean dennis derek desmond dexter dick diego dieter dietrich dimitri dirk dmitri dominic don donald doug "
    "douglas duncan dustin dwight dylan earl ed eddie edgar edmund eduardo edward edwin eli elias elijah elliott elmer "
    "elon emil emmanuel enrique eric erik ernest ethan eugene evan ezra felix ferdinand fernando floyd francis "
    "francisco franco frank franklin franz fred freddie frederick friedrich fritz gabriel gareth gary gavin geoff "
    "geoffrey george gerald gerard gilbert giovanni giuseppe glenn gordon graham greg gregory guillermo gunther "
    "gustav guy hamilton hans hank harold harrison harry harvey hassan hector heinrich helmut henrik henry herbert "
    "herman homer horace howard hugh hugo humphrey ian ibrahim igor isaac isaiah ivan jack jacob jacques jake james "
    "jason jay jeff jeffrey jeremiah jeremy jerome jerry jesse jesus jim jimmy joachim joe joel johann johannes john "
    "johnny jon jonathan jorge jose joseph josh joshua josé juan jules julian julio julius justin jürgen karl "
    "keith ken kenneth kenny kevin klaus kurt kyle lance larry lars lawrence leo leon leonard leonardo leroy leslie "
    "lewis liam lionel lloyd logan louis luca lucas luigi luis luke luther malcolm manuel marc marcel marco marcus "
    "mario mark marshall martin marty marvin mason mateo matt matthew maurice max maximilian maxwell mehmet mel "
    "melvin michael miguel mike mikhail miles milton mitchell mohamed mohammad mohammed moses muhammad murray nathan "
    "nathaniel ned neil nelson nicholas nick nicolas nigel nikolai noah noel norman olaf oliver omar orlando oscar "
    "oswald otto owen pablo patrick paul pedro percy perry pete peter phil philip phillip pierre ralph ramon randy "
    "raphael raul ray raymond reginald rene rex ricardo richard rick ricky rob robert roberto rod roderick rodney "
    "rodrigo roger roland rolf roman ron ronald ronnie ross roy rudolf rufus rupert russell ryan salvador sam sammy "
    "samuel santiago scott sean sebastian sergei sergio seth shane shawn sherlock sidney sigmund simon spencer stan "
    "stanley stefan stephen steve steven stewart stuart ted terence terry theo theodore thomas tim timothy tobias "
    "toby todd tom tommy tony travis trevor tristan tyler uwe valentin vernon victor vincent vito vladimir wallace "
    "walter warren wayne wesley wilbur wilfred wilhelm will william willie winston wolfgang xavier yusuf zachary"
)
FEMININE_WORDS = words(
    "mrs mrs. ms ms. miss madam madame mademoiselle lady dame queen princess duchess empress countess baroness woman "
    "women girl girls gal lass mother mom mum mommy mummy mama daughter sister aunt auntie niece godmother "
    "stepmother grandmother grandma granny granddaughter stepdaughter wife girlfriend fiancée bride widow actress "
    "waitress nun abbess priestess businesswoman chairwoman congresswoman policewoman spokeswoman saleswoman landlady "
    "goddess heroine hostess stewardess witch ballerina señora señorita frau fräulein "
)
FEMININE_NAMES = words(
    "abigail ada adele adriana agatha agnes aisha alexandra alice alicia alison allison alma amanda amber amelia amy "
    "ana anastasia andrea angela angelina angie anita ann anna annabel anne annette annie antonia april ariana astrid "
    "audrey aurora ava barbara beatrice becky belinda bella bernadette bertha beth bethany betsy betty beverly bonnie "
    "brenda bridget brigitte britney camila camilla candice carla carmen carol carole caroline carolyn carrie "
    "catherine cathy cecilia celeste celia chantal charlotte chelsea cheryl chloe christina christine cindy claire "
    "clara claudia colleen connie constance cora cordelia courtney crystal cynthia daisy daniela danielle daphne "
    "dawn debbie deborah debra deirdre delia denise diana diane donna dora doreen doris dorothy edith edna eileen "
    "elaine eleanor elena elisa elisabeth eliza elizabeth ella ellen elsa elsie emily emma erica erika erin esme "
    "esmeralda esther ethel eva eve evelyn fatima felicia felicity fiona flora florence frances francesca frida gail "
    "georgina geraldine gertrude gina ginny giulia gladys glenda gloria grace greta gretchen gwen gwendolyn hannah "
    "harriet hazel heather heidi helen helena helga henrietta hermione hilary hilda hillary holly ida ines ingrid "
    "irene iris irma isabel isabella isabelle ivy jacqueline jane janet janice jasmine jean jeanne jen jenna jennifer "
    "jenny jessica jill joan joanna joanne josephine joy joyce juanita judith judy julia juliana julie juliet june "
    "karen karin kate katherine kathleen kathryn kathy katie katrina kay kelly kim kimberly kirsten kristen kristin "
    "lara laura lauren leah leila lena leona leticia lillian lilly lily linda lisa liz liza lois lola loretta lorraine "
    "louisa louise lucia lucille lucinda lucy luisa luna lydia lynn mabel madeleine madeline maggie maisie mandy "
    "marcia margaret margarita margot maria marian marianne marie marilyn marina marion marjorie marlene martha mary "
    "matilda maud maureen may maya megan mei melanie melinda melissa mercedes meredith mia michelle mildred millie "
    "mimi minnie miranda miriam molly mona monica muriel myra myrtle nadia nancy naomi natalia natalie natasha nellie "
    "nicole nina nora norma octavia odette olga olive olivia oprah pam pamela patricia patty paula pauline pearl peggy "
    "penelope penny phoebe phyllis polly priscilla rachel ramona raquel rebecca regina renee rhonda rita roberta "
    "rosa rosalind rose rosemary rosie roxanne ruby ruth sabrina sally samantha sandra sandy sara sarah selena serena "
    "shannon sharon sheila shelly shirley silvia simone sofia sonia sophia sophie stacy stella stephanie sue susan "
    "susanna suzanne svetlana sybil sylvia tamara tammy tanya tara tatiana teresa tess theresa tiffany tina tracy "
    "trudy ursula valentina valerie vanessa vera veronica vicky victoria viola violet virginia vivian wanda wendy "
    "whitney wilma winifred yolanda yoko yvette yvonne zoe zelda"
)
# Given names that are equally common as other words.
AMBIGUOUS_NAMES = words(
    "virginia victoria florence charlotte chelsea hamilton lincoln orlando mercedes april may june dawn crystal pearl "
    "aurora mason marshall roman nelson logan darwin austin santiago salvador san st amber ivy iris joy grace hazel "
    "violet rose olive will mark jack bill homer guy earl dean stanley wallace"
)
PERSON_WORDS = words(
    "person people child children kid baby toddler student pupil teacher professor lecturer tutor doctor physician "
    "surgeon dentist nurse lawyer attorney judge justice author writer novelist artist painter poet singer musician "
    "composer conductor scientist researcher engineer player coach captain officer soldier sergeant lieutenant colonel "
    "general admiral president minister chancellor senator governor mayor ambassador leader member friend neighbour "
    "neighbor colleague parent sibling twin cousin grandparent grandchild partner spouse worker employee boss owner "
    "manager director secretary assistant clerk customer client user reader speaker listener guest citizen resident "
    "inhabitant candidate victim suspect witness defendant plaintiff prisoner patient expert participant individual "
    "human scholar philosopher historian economist psychologist biologist chemist physicist mathematician architect "
    "designer developer programmer journalist reporter editor critic dr dr. prof prof. rev. saint somebody voter "
    "driver pilot passenger visitor traveler traveller tourist adult teenager infant youth farmer hunter fisher baker "
    "butcher cook chef tailor carpenter plumber mechanic gardener merchant trader banker accountant entrepreneur "
    "athlete runner swimmer dancer comedian magician clown thief robber murderer killer criminal detective spy agent "
    "guard servant maid butler slave knight peasant noble monarch ruler heir ancestor descendant stranger enemy rival "
    "opponent winner loser champion genius fool believer follower disciple prophet priest preacher pastor monk "
    "apprentice graduate freshman roommate classmate teammate bystander pedestrian cyclist refugee immigrant migrant "
    "veteran volunteer activist politician diplomat celebrity star founder inventor explorer sailor astronaut "
    "lover darling sweetheart orphan elder stepchild rapper guitarist pianist drummer filmmaker photographer producer "
    "librarian curator inspector constable cop sheriff deputy advocate counsel counselor therapist psychiatrist "
    "pharmacist paramedic blogger vlogger youtuber gamer coauthor narrator protagonist"
)
GROUP_WORDS = words(
    "company firm corporation business agency organisation organization institution institute university college "
    "school church hospital bank court government parliament congress senate ministry department administration "
    "council committee commission board union party team club band orchestra group crew staff army navy police force "
    "family couple pair crowd audience public population community society tribe nation country state city town "
    "village association federation league class generation media press restaurant shop store hotel airline museum "
    "library newspaper magazine network station studio lab laboratory office jury majority minority gang troop unit "
    "delegation coalition alliance faculty youth management cast"
)
ANIMAL_WORDS = words(
    "dog cat horse cow bull ox pig sheep goat lamb chicken hen rooster duck goose bird parrot owl eagle crow fox wolf "
    "bear lion tiger leopard elephant monkey ape gorilla rabbit hare mouse rat squirrel deer donkey mule camel frog "
    "toad snake turtle tortoise fish shark whale dolphin puppy kitten pet animal creature beast dragon monster ghost "
    "baby infant child toddler kid"
)
PLACES = words(
    "africa america asia europe australia antarctica oceania afghanistan albania algeria argentina armenia austria "
    "azerbaijan bangladesh belgium bolivia bosnia botswana brazil britain bulgaria cambodia cameroon canada chile "
    "china colombia croatia cuba cyprus czechia denmark ecuador egypt england estonia ethiopia finland france germany "
    "ghana greece guatemala haiti honduras hungary iceland india indonesia iran iraq ireland italy jamaica japan "
    "kazakhstan kenya korea kosovo kuwait laos latvia lebanon libya lithuania luxembourg macedonia malaysia mali malta "
    "mexico moldova mongolia morocco mozambique myanmar namibia nepal netherlands nicaragua nigeria norway pakistan "
    "palestine panama paraguay peru philippines poland portugal qatar romania russia rwanda scotland senegal serbia "
    "singapore slovakia slovenia somalia spain sudan sweden switzerland syria taiwan tanzania thailand tunisia turkey "
    "uganda ukraine uruguay usa uk u.s. us venezuela vietnam wales yemen zambia zimbabwe alabama alaska arizona "
    "arkansas california colorado connecticut delaware florida hawaii idaho illinois indiana iowa kansas kentucky "
    "louisiana maine maryland massachusetts michigan minnesota mississippi missouri montana nebraska nevada ohio "
    "oklahoma oregon pennsylvania tennessee texas utah vermont wisconsin wyoming amsterdam athens atlanta baghdad "
    "bangkok barcelona beijing beirut berlin birmingham bogotá boston brisbane brussels budapest cairo cambridge "
    "chicago cologne copenhagen dallas delhi denver detroit dresden dubai dublin edinburgh frankfurt geneva glasgow "
    "hamburg havana helsinki hiroshima istanbul jakarta jerusalem johannesburg kabul karachi kiev kyiv kyoto lagos "
    "leipzig lima lisbon liverpool london lyon madrid manchester manila marseille melbourne miami milan montreal "
    "moscow mumbai munich nairobi naples osaka oslo oxford paris philadelphia portland prague pittsburgh reykjavik "
    "rome rotterdam seattle seoul shanghai stockholm stuttgart sydney tehran tokyo toronto turin vancouver venice "
    "vienna warsaw zurich york earth mars jupiter saturn moon"
)
TIMES = words(
    "monday tuesday wednesday thursday friday saturday sunday january february march july august september october "
    "november december christmas easter halloween ramadan thanksgiving"
)
THING_NAMES = words(  # last words of names of places, bodies and works
    "street road avenue square park river lake sea ocean mountain mountains island islands bay valley bridge county "
    "city town state states kingdom republic empire house palace castle hall tower building airport war battle act "
    "treaty prize award museum gallery theatre theater cathedral inc inc. ltd ltd. corp corp. co. gmbh bank press "
    "journal times festival olympics cup league university college school church hospital institute company "
    "corporation agency association society union party committee court department foundation center centre station "
    "telescope series summit conference forum channel show magazine records studios films pictures"
)
PLACE_BEGINNINGS = words("st st. san santa santo fort port mount lake new north south east west cape")
PLACE_CASES = words("in into within throughout near around across via")  # a name after these is a place
MOVING_CASES = words("at from to towards through")  # and after these, if it depends on one of the next
MOVING = words(
    "live go come arrive travel move return fly drive walk stay stop land settle remain depart escape flee emigrate "
    "immigrate migrate sail ride journey trip flight road train bus bear grow reside dwell commute"
)
EMPTY_WORDS = words(
    "the a an this that these those of in on at to for by with from and or 's ' , . ( ) \" - my our your his her its "
    "their"
)

ENGLISH = ReferringWords(
    language="en",
    pronouns=pronouns(PRONOUN_ROWS),
    referents=REFERENTS,
    reflexive=REFLEXIVE,
    saying=SAYING,
    addressing=ADDRESSING,
    speaking=SPEAKING_WORDS,
    adverbs=words("here there now then today yesterday tomorrow tonight"),
    determiners=DETERMINERS,
    masculine=MASCULINE_WORDS,
    masculine_names=MASCULINE_NAMES,
    feminine=FEMININE_WORDS,
    feminine_names=FEMININE_NAMES,
    ambiguous_names=AMBIGUOUS_NAMES,
    persons=PERSON_WORDS,
    groups=GROUP_WORDS,
    animals=ANIMAL_WORDS,
    places=PLACES,
    times=TIMES,
    thing_names=THING_NAMES,
    place_beginnings=PLACE_BEGINNINGS,
    place_cases=PLACE_CASES,
    moving_cases=MOVING_CASES,
    moving=MOVING,
    empty=EMPTY_WORDS,
)
