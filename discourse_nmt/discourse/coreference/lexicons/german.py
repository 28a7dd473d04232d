"""German: closed classes and common words, written for this project; given names are those of the English lists."""

from discourse_nmt.discourse.coreference.lexicons.english import (
    AMBIGUOUS_NAMES,
    FEMININE_NAMES,
    MASCULINE_NAMES,
)
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
    Pronoun,
    ReferringWords,
    pronouns,
    words,
)

SHE, THEY, YOU = (
    Pronoun("she", SINGULAR, FEMININE),
    Pronoun("they", PLURAL, UNKNOWN),
    Pronoun("you", UNKNOWN, PERSON),
)
PRONOUN_ROWS = (
    ("i", SINGULAR, PERSON, "ich mich mir meiner mein meine meinen meinem meines"),
    ("we", PLURAL, PERSON, "wir uns unser unsere unseren unserem unserer unseres unsre unsren unsrem unsrer"),
    (
        "you",
        UNKNOWN,
        PERSON,
        "du dich dir deiner dein deine deinen deinem deines euch euer eure euren eurem eurer eures",
    ),
    ("he", SINGULAR, MASCULINE, "er ihn ihm sein seine seinen seinem seiner seines"),
    ("she", SINGULAR, UNKNOWN, "sie"),
    ("it", SINGULAR, NEUTER, "es"),
    ("they", PLURAL, UNKNOWN, "ihnen"),
    ("their", UNKNOWN, UNKNOWN, "ihr ihre ihren ihrem ihrer ihres"),  # "her" and "their"
    ("self", UNKNOWN, UNKNOWN, "sich einander selbst selber"),
    ("who", UNKNOWN, UNKNOWN, "der die den dem denen deren dessen derer welcher welche welches welchen welchem"),
    ("that", SINGULAR, NEUTER, "das"),
    ("this", UNKNOWN, UNKNOWN, "dies dieser diese dieses diesen diesem jener jene jenes jenen jenem"),
    ("this", UNKNOWN, UNKNOWN, "derjenige diejenige dasjenige derselbe dieselbe dasselbe dieselben"),
    ("what", UNKNOWN, NEUTER, "was wer wen wem wessen"),
    ("one", SINGULAR, UNKNOWN, "man einer eine eines einen einem eins"),
    ("each", UNKNOWN, UNKNOWN, "beide beiden beider alle allen aller viele vielen einige einigen manche mehrere jede"),
    ("each", UNKNOWN, UNKNOWN, "jeder jedes jeden jedem andere anderen anderer keine keiner wenige wenigen"),
    ("someone", SINGULAR, PERSON, "jemand jemanden jemandem niemand niemanden niemandem jedermann irgendwer"),
    ("something", SINGULAR, NEUTER, "etwas nichts alles irgendetwas"),
    ("here", UNKNOWN, NEUTER, "hier da dort dorthin hierher daher"),
    ("now", UNKNOWN, NEUTER, "jetzt nun dann damals heute morgen gestern"),
    ("so", UNKNOWN, NEUTER, "davon dabei dafür damit daran darauf daraus darin darüber darum darunter davor dazu"),
    ("so", UNKNOWN, NEUTER, "dadurch dagegen dahinter danach daneben dazwischen hiermit hierbei hiervon hierzu"),
)
ANY_TOLD = ANYONE | THING | BODY | SEVERAL | TOLD
REFERENTS = {
    "i": ANYONE | SPEAKING,
    "we": SEVERAL | BODY | SPEAKING,
    "you": ANYONE | SEVERAL | BODY | SPEAKING,
    "he": MAN | SOMEONE | THING | BODY | TOLD,  # nouns of things have gender
    "she": WOMAN | SOMEONE | THING | BODY | TOLD,
    "it": ANYONE | THING | BODY | TOLD,  # "das Kind", "das Mädchen"
    "they": SOMEONE | BODY | SEVERAL | TOLD,
    "their": WOMAN | SOMEONE | THING | BODY | SEVERAL | TOLD,
    "who": ANY_TOLD,
    "that": ANYONE | THING | BODY | TOLD,
    "someone": ANYONE | SEVERAL | TOLD,
    "something": THING | BODY | TOLD,
    "here": THING | BODY | TOLD,
    "so": THING | BODY | SEVERAL | TOLD,
    "now": THING | TOLD,
}
SAYING = words(
    "sagen fragen antworten erwidern entgegnen rufen schreien flüstern murmeln meinen erklären erzählen hinzufügen "
    "fortfahren beginnen wiederholen bemerken behaupten betonen denken schreiben warnen versprechen zugeben bitten "
    "befehlen lachen seufzen schluchzen brüllen stöhnen zischen protestieren versichern mitteilen berichten grüßen "
    "unterbrechen gestehen brummen stammeln ausrufen zurufen zuflüstern mahnen fordern"
)
ADDRESSING = words("zu an")
REFLEXIVE = words("sich einander mich dich uns euch selbst selber")
SPEAKING_WORDS = words(
    "ich mich mir mein meine meinen meinem meiner meines wir uns unser unsere unseren unserem unserer unseres du "
    "dich dir dein deine deinen deinem deiner deines euch euer eure euren eurem eurer eures"
)
ADVERBS = words(
    "hier da dort dorthin jetzt nun dann damals heute morgen gestern davon dabei dafür damit daran darauf daraus "
    "darin darüber darum darunter davor dazu dadurch dagegen daneben"
)
DETERMINERS = {
    **dict.fromkeys(words("der die das den dem des"), "definite"),
    **dict.fromkeys(words("ein eine einen einem einer eines"), "indefinite"),
    **dict.fromkeys(
        words("dieser diese dieses diesen diesem jener jene jenes jenen jenem solche solcher solchen"), "demonstrative"
    ),
    **dict.fromkeys(
        words("mein dein sein ihr unser euer deren dessen")
        | {
            stem + ending
            for stem in ("mein", "dein", "sein", "ihr", "unser", "eur")
            for ending in ("e", "en", "em", "er", "es")
        },
        "possessive",
    ),
    **dict.fromkeys(
        words(
            "einige einigen einiger jeder jede jedes jeden jedem alle allen aller beide beiden beider viele vielen "
            "vieler mehrere mehreren mehrerer wenige wenigen kein keine keinen keinem keiner keines manche manchen"
        ),
        "quantified",
    ),
}
MASCULINE_WORDS = words(
    "herr herrn könig königs prinz prinzen herzog herzogs graf grafen kaiser kaisers zar lord sir mann mannes manne "
    "junge jungen kerl bursche vater vaters papa opa großvater sohn sohnes sohns bruder bruders onkel onkels neffe "
    "neffen cousin schwager schwiegervater schwiegersohn enkel enkels ehemann gatte gatten bräutigam witwer mönch "
    "priester pfarrer bischof papst rabbi imam knabe knaben typ gott götter"
)
FEMININE_WORDS = words(
    "frau königin prinzessin herzogin gräfin kaiserin lady dame mutter mama mami oma großmutter tochter schwester "
    "tante nichte cousine schwägerin schwiegermutter schwiegertochter enkelin ehefrau gattin braut witwe nonne "
    "göttin jungfrau mädchen fräulein chefin ärztin freundin bundeskanzlerin kanzlerin"
)
PERSON_WORDS = words(
    "person mensch kind baby säugling schüler student lehrer professor dozent doktor arzt chirurg zahnarzt anwalt "
    "richter autor schriftsteller maler dichter sänger musiker komponist dirigent wissenschaftler forscher ingenieur "
    "spieler trainer kapitän offizier soldat general präsident minister kanzler senator gouverneur bürgermeister "
    "botschafter führer leiter mitglied freund nachbar kollege geschwister zwilling partner gatte arbeiter "
    "angestellter mitarbeiter chef besitzer eigentümer manager direktor sekretär assistent kunde mandant nutzer "
    "benutzer leser redner sprecher hörer gast bürger bewohner einwohner kandidat opfer verdächtiger verdächtige "
    "zeuge angeklagter angeklagte kläger gefangener gefangene patient experte teilnehmer gelehrter philosoph "
    "historiker ökonom psychologe biologe chemiker physiker mathematiker architekt entwickler programmierer "
    "journalist reporter redakteur kritiker wähler fahrer pilot passagier besucher reisender tourist erwachsener "
    "jugendlicher bauer jäger fischer bäcker koch schneider händler kaufmann bankier unternehmer sportler läufer "
    "schwimmer tänzer dieb räuber mörder täter verbrecher detektiv spion agent wächter diener ritter herrscher erbe "
    "vorfahr nachkomme fremder feind gegner sieger verlierer meister prophet prediger mönch flüchtling einwanderer "
    "freiwilliger aktivist politiker diplomat star gründer erfinder entdecker seemann astronaut waise polizist "
    "kommissar abgeordneter abgeordnete kommissarin berichterstatter kanzlerkandidat golfer reiter ruderer turner "
    "boxer torwart stürmer held zuschauer fan anhänger jünger hirte knecht"
)
GROUP_WORDS = words(
    "firma unternehmen konzern gesellschaft agentur organisation institut universität hochschule schule kirche "
    "krankenhaus klinik bank gericht regierung parlament kongress senat bundestag bundesrat ministerium behörde "
    "verwaltung rat ausschuss kommission vorstand union partei fraktion mannschaft team verein klub club band "
    "orchester gruppe besatzung stab armee marine polizei familie paar menge publikum bevölkerung gemeinde "
    "gemeinschaft volk stamm nation land staat stadt dorf verband liga klasse generation presse restaurant geschäft "
    "laden hotel fluggesellschaft museum bibliothek zeitung zeitschrift sender studio labor büro jury mehrheit "
    "minderheit bande truppe einheit delegation koalition"
)
ANIMAL_WORDS = words(
    "hund katze pferd kuh stier ochse schwein schaf ziege lamm huhn henne hahn ente gans vogel papagei eule adler "
    "krähe fuchs wolf bär löwe tiger elefant affe kaninchen hase maus ratte hirsch esel kamel frosch schlange "
    "schildkröte fisch hai wal delfin tier wesen drache ungeheuer gespenst baby kind säugling mädchen"
)
PLACES = words(
    "afrika amerika asien europa australien afghanistan albanien algerien argentinien belgien brasilien bulgarien "
    "chile china dänemark deutschland ecuador ägypten england estland äthiopien finnland frankreich ghana "
    "griechenland indien indonesien iran irak irland island israel italien japan jordanien kanada kenia kolumbien "
    "korea kosovo kroatien kuba lettland libanon libyen litauen luxemburg malta marokko mexiko moldau neuseeland "
    "niederlande nigeria norwegen österreich pakistan palästina peru philippinen polen portugal rumänien russland "
    "rußland schottland schweden schweiz serbien singapur slowakei slowenien somalia spanien südafrika sudan syrien "
    "taiwan thailand tschechien türkei tunesien uganda ukraine ungarn usa venezuela vietnam wales zypern amsterdam "
    "athen bagdad barcelona basel berlin bonn boston brüssel budapest bern chicago dresden düsseldorf frankfurt genf "
    "hamburg hannover istanbul jerusalem kairo kiew köln kopenhagen leipzig lissabon london madrid mailand moskau "
    "münchen nürnberg nizza oslo paris peking prag rom stockholm straßburg stuttgart tokio venedig warschau "
    "washington wien zürich sydney melbourne bayern sachsen hessen"
)
TIMES = words(
    "montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag januar februar märz april mai juni juli "
    "august september oktober november dezember weihnachten ostern pfingsten"
)
THING_NAMES = words(
    "straße platz park fluss see meer ozean berg gebirge insel inseln bucht tal brücke kreis stadt staat staaten "
    "reich haus palast schloss halle turm flughafen krieg schlacht gesetz vertrag preis museum galerie theater dom "
    "ag gmbh kg bank presse zeitung festival cup pokal liga universität hochschule schule kirche krankenhaus "
    "institut firma verband union partei ausschuss gericht stiftung zentrum bahnhof gipfel konferenz forum parlament "
    "kommission rat"
)
PLACE_CASES = words("in im ins innerhalb bei nahe durch über")
MOVING_CASES = words("aus nach von zu richtung")
MOVING = words(
    "leben wohnen gehen kommen reisen ziehen fahren fliegen laufen bleiben halten landen fliehen auswandern "
    "einwandern zurückkehren reise fahrt flug straße bahn zug bus stammen pendeln"
)
EMPTY_WORDS = words(
    "der die das den dem des ein eine einen einem einer eines dieser diese dieses diesen diesem in im ins an am ans "
    'auf bei beim zu zum zur für mit von vom aus nach und oder , . ( ) " „ “ - mein meine unser unsere dein deine '
    "sein seine seinen seinem seiner seines ihr ihre ihren ihrem ihrer ihres"
)

GERMAN = ReferringWords(
    language="de",
    pronouns=pronouns(PRONOUN_ROWS),
    referents=REFERENTS,
    by_number={"sie": {SINGULAR: SHE, PLURAL: THEY}},
    capitalised={
        **dict.fromkeys(("Sie", "Ihnen", "Ihr", "Ihre", "Ihren", "Ihrem", "Ihrer", "Ihres"), YOU),
    },
    reflexive=REFLEXIVE,
    saying=SAYING,
    addressing=ADDRESSING,
    speaking=SPEAKING_WORDS,
    adverbs=ADVERBS,
    possessive=("DET", "det:poss"),
    genders=True,
    plural_shows=False,
    determiners=DETERMINERS,
    masculine=MASCULINE_WORDS,
    masculine_endings=("mann", "vater", "bruder", "sohn", "könig", "prinz"),
    masculine_names=MASCULINE_NAMES,
    feminine=FEMININE_WORDS,
    feminine_endings=(
        "frau",
        "mutter",
        "tochter",
        "schwester",
        "lehrerin",
        "istin",
        "entin",
        "torin",
        "sprecherin",
        "erin",
    ),
    feminine_names=FEMININE_NAMES,
    ambiguous_names=AMBIGUOUS_NAMES,
    persons=PERSON_WORDS,
    groups=GROUP_WORDS,
    animals=ANIMAL_WORDS,
    places=PLACES,
    times=TIMES,
    thing_names=THING_NAMES,
    place_cases=PLACE_CASES,
    moving_cases=MOVING_CASES,
    moving=MOVING,
    empty=EMPTY_WORDS,
)
