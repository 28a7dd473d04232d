"""English words and phrases that are textual or interpersonal themes at the beginning of a clause.

After Halliday and Matthiessen (2014, sections 3.4 and 4.3): conjunctive adjuncts and continuatives relate the clause
to the text before it; modal adjuncts (mood adjuncts of probability and usuality, comment adjuncts) give the speaker's
angle. Other adverbs, of time, place and manner, are topical. All words are in lower case.
"""


def _phrases(text: str) -> frozenset[str]:
    return frozenset(" ".join(phrase.split()) for phrase in text.split(","))


TEXTUAL = _phrases("""
    above all, accordingly, actually, additionally, after all, all in all, also, alternatively, anyhow, anyway, anyways,
    apart from that, apart from this, as a consequence, as a matter of fact, as a result, as such, as well,
    aside from that, at any rate, at the same time, basically, besides, besides that, by contrast, by the same token,
    by the way, consequently, conversely, correspondingly, e.g., equally, essentially, even so, finally, first,
    first and foremost, first of all, firstly, for example, for instance, for one thing, for that matter,
    for that reason, for these reasons, for this reason, fourth, fourthly, further, furthermore, hence, however, i.e.,
    in addition, in addition to that, in addition to this, in any case, in any event, in brief, in comparison,
    in conclusion, in consequence, in contrast, in fact, in other words, in particular, in short, in sum, in summary,
    in that case, in the first place, in the meantime, in the same way, in this case, in this way, in turn,
    incidentally, indeed, instead, last but not least, last of all, lastly, likewise, meanwhile, moreover, namely,
    neither, nevertheless, nonetheless, nor, notably, notwithstanding, on the contrary, on the one hand, on the other,
    on the other hand, on top of that, on top of this, otherwise, overall, rather, second, second of all, secondly,
    similarly, simply put, so, specifically, still, subsequently, that being said, that is, that is to say, that said,
    then, then again, thereby, therefore, third, thirdly, though, thus, to begin with, to conclude, to start with,
    to sum up, to summarise, to summarize, to that end, to this end, too, ultimately, what 's more, what is more, yet
""")

INTERPERSONAL = _phrases("""
    absolutely, admittedly, allegedly, always, amazingly, apparently, arguably, as a rule, as always, as far as i
    know, as we know, as you know, as you see, believe it or not, between you and me, certainly, clearly, curiously,
    definitely, doubtless, doubtlessly, evidently, for sure, for the most part, fortunately, frankly, frankly
    speaking, frequently, fundamentally, generally, generally speaking, god forbid, god willing, happily, honestly,
    hopefully, i guess, i mean, i suppose, i think, ideally, if you ask me, if you will, importantly, in all honesty,
    in all likelihood, in all probability, in general, in my experience, in my mind, in my opinion, in my view, in our
    opinion, in our view, in principle, in reality, in theory, in truth, interestingly, interestingly enough,
    ironically, it goes without saying, literally, luckily, maybe, mercifully, more importantly, more interestingly,
    most importantly, most likely, my god, naturally, needless to say, never, no doubt, normally, not at all, not
    surprisingly, obviously, occasionally, oddly, oddly enough, of course, often, oh my god, on the whole, perhaps,
    personally, personally speaking, please, possibly, predictably, presumably, probably, rarely, really, regrettably,
    remarkably, sadly, seemingly, seldom, seriously, sometimes, strangely, strangely enough, strictly speaking,
    supposedly, sure, sure enough, surely, surprisingly, surprisingly enough, technically, thank god, thankfully, to
    be fair, to be frank, to be honest, to be sure, to my knowledge, to my mind, to my surprise, to our surprise, to
    tell the truth, to tell you the truth, tragically, truly, truth be told, truthfully, typically, undeniably,
    undoubtedly, unexpectedly, unfortunately, unluckily, unquestionably, unsurprisingly, usually, without a doubt,
    without doubt, you know, you see
""")

CONTINUATIVES = _phrases("""
    ah, ahh, all right, alright, anyway, anyways, hm, hmm, huh, like, mhm, mm, mmm, nah, no, nope, now, oh, ohh, ok,
    okay, right, so, uh, uhh, uhm, um, umm, unhunh, well, yeah, yep, yes
""")

# Adverbs that focus the following words: "only her uncle".
FOCUS = _phrases("""
    almost, even, especially, exactly, just, merely, mostly, not, only, particularly, precisely, simply, solely
""")

# Adverbs that end an expression of time: "a week later".
TIMES = _phrases("after, afterwards, ago, before, earlier, later")

# Lemmas of the verbs and adjectives of the short clauses that are comments where no conjunction ties them: "I think",
# "you know", "it seems".
COMMENTS = _phrases("""
    admit, afraid, appear, assume, believe, bet, confess, dunno, expect, fear, feel, figure, find, guess, hear, hope,
    imagine, know, mean, presume, reckon, regret, remember, say, see, seem, sorry, suppose, sure, suspect, swear, tell,
    think, trust, understand, wish, wonder
""")

# Phrases of several words by their first word, longest first.
LONGER: dict[str, list[tuple[str, ...]]] = {}
for _phrase in sorted((*TEXTUAL, *INTERPERSONAL), key=lambda phrase: (-phrase.count(" "), phrase)):
    _words = tuple(_phrase.split(" "))
    if len(_words) > 1:
        LONGER.setdefault(_words[0], []).append(_words)
