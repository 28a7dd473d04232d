"""Words by rjieba, which is jieba's method and dictionary in Rust."""

import rjieba

from discourse_nmt.text.chinese.jieba_words import with_whole_letters


def words(text: str) -> list[str]:
    """Words of a sentence by rjieba, with its hidden Markov model for unknown words."""
    return with_whole_letters(rjieba.cut(text))
