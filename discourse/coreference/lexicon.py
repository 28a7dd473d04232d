"""English words that tell number, gender and person. Written for this project; closed classes and common words only."""

from typing import NamedTuple

UNKNOWN, SINGULAR, PLURAL = 0, 1, 2
MASCULINE, FEMININE, NEUTER, PERSON = 1, 2, 3, 4  # PERSON: a human being of either gender


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


class Pronoun(NamedTuple):
    """What a pronoun tells: its lemma, number, gender."""

    lemma: str
    number: int
    gender: int


def _pronouns() -> dict[str, Pronoun]:
    rows = (
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
    return {form: Pronoun(lemma, number, gender) for lemma, number, gender, forms in rows for form in forms.split()}


PRONOUNS = _pronouns()
REFLEXIVE = _words("myself ourselves yourself yourselves himself herself itself themselves themself oneself")

DETERMINERS = {
    **dict.fromkeys(("the",), "definite"),
    **dict.fromkeys(("a", "an", "another"), "indefinite"),
    **dict.fromkeys(("this", "that", "these", "those", "such"), "demonstrative"),
    **dict.fromkeys(("my", "our", "your", "his", "her", "its", "their", "whose"), "possessive"),
    **dict.fromkeys(("some", "any", "no", "every", "each", "all", "both", "many", "several", "few"), "quantified"),
}

MASCULINE_WORDS = _words(
    "mr mr. sir lord king prince duke emperor man men boy boys guy guys gentleman gentlemen father dad daddy papa son "
    "brother uncle nephew grandfather grandpa grandson husband boyfriend groom bridegroom widower actor waiter monk "
    "priest bishop pope businessman chairman congressman policeman salesman spokesman fisherman fellow dude bloke lad "
    "adam alan albert alexander alfred andrew anthony arthur ben benjamin bill bob brad brian bruce carl charles chris "
    "christopher daniel dave david dennis donald edward eric francis frank fred gary george greg harold harry henry "
    "hugh isaac jack jacob jake james jason jeff jeremy jerry jim jimmy joe john johnny jonathan jose joseph josh "
    "joshua juan justin karl keith ken kenneth kevin larry lawrence leo louis luke mark martin matt matthew max "
    "michael mike mohammed muhammad nathan nicholas nick oliver oscar patrick paul peter phil philip ralph ray raymond "
    "richard rick robert roger ron ronald roy ryan sam samuel scott sean sebastian simon stephen steve steven stuart "
    "theodore thomas tim timothy todd tom tommy tony vincent walter wayne will william zachary"
)
FEMININE_WORDS = _words(
    "mrs mrs. ms ms. miss madam lady queen princess duchess empress woman women girl girls gal mother mom mum mommy "
    "mama daughter sister aunt niece grandmother grandma granddaughter wife girlfriend bride widow actress waitress "
    "nun businesswoman chairwoman congresswoman policewoman spokeswoman goddess heroine hostess witch "
    "abigail agnes alice alison amanda amy andrea angela ann anna anne annie audrey barbara beth betty beverly brenda "
    "carol caroline catherine charlotte cheryl christina christine cindy clara claire cynthia deborah denise diana "
    "diane donna dorothy edith eleanor elizabeth ella emily emma erin esther eva evelyn florence frances gloria grace "
    "hannah heather helen irene isabel jane janet janice jean jennifer jenny jessica joan joanna joyce judith judy "
    "julia julie karen kate katherine kathleen kathy katie kelly kim laura lauren linda lisa lucy margaret maria marie "
    "marilyn martha mary megan melanie melissa michelle molly monica nancy natalie nicole nina olivia pamela patricia "
    "rachel rebecca rita rosa rose ruth sally samantha sandra sara sarah sharon sheila shirley sophia sophie stephanie "
    "susan sylvia teresa theresa tiffany tina vanessa veronica victoria virginia vivian wendy"
)
PERSON_WORDS = _words(
    "person people child children kid baby student teacher professor doctor nurse lawyer judge justice author writer "
    "artist painter poet singer musician scientist researcher engineer player coach captain officer soldier president "
    "minister senator governor mayor leader member friend neighbour neighbor colleague parent cousin partner spouse "
    "worker employee boss owner manager director customer user reader speaker host guest citizen resident candidate "
    "victim suspect witness patient expert participant individual human scholar journalist dr dr. prof prof. rev. "
    "saint somebody voter driver passenger visitor traveler traveller tourist adult teenager infant crew couple"
)
EMPTY_WORDS = _words(
    "the a an this that these those of in on at to for by with from and or 's ' , . ( ) \" - my our your his her its "
    "their"
)
