"""Chinese words and phrases that decide which theme begins a clause.

They follow the annotation of CTRD (Tong et al. 2020): circumstances of time and place before the subject and modal
adverbs are textual themes; sources of information, requests and questions are interpersonal. Entries are simplified and
without spaces, so that they match however a text is divided into words.
"""

import re


def _phrases(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Conjunctions, and conjunctive and modal adverbs, before the rest of a clause.
TEXTUAL = _phrases("""
    一方面 一旦 一来 二来 不仅 不仅如此 不但 不光 不只 不只是 不料 不管 不论 不过 不然 与其 与此同时 与此相反 且 为此
    乃至 也就是说 也许 事实上 于是 从此 从而 以及 以至 以致 但 但是 何况 例如 倘若 假如 假使 偏偏 关键是 其中 其实 其次
    再者 再说 况且 加之 却 即 即便 即便如此 即使 即使如此 原来 反之 反倒 反正 反而 反过来 另一方面 另外 只是 只有 只要
    可 可是 同时 同样 同理 否则 哪怕 唯独 唯有 因 因为 因此 因而 固然 基于此 基本上 多亏 好像 好在 好比 如 如果 如果说
    如此 实际上 对此 尔后 尤其 尤其是 尽管 尽管如此 就是说 就算 并 并且 幸亏 当然 当然了 归根结底 总之 总的来看
    总的来说 总而言之 恐怕 恰恰相反 或 或是 或者 或者是 或许 所以 据此 接下来 接着 换句话说 换言之 故而 既 既然 显然
    更何况 最后 有鉴于此 果然 正因为 正因为如此 正因如此 此后 此外 毕竟 比如 比如说 比方说 毫无疑问 没想到 没料到 然后
    然而 特别 特别是 甚至 甚至于 的确 直至今日 相反 看来 看样子 看起来 真的 确切地说 确实 究竟 突然 竟 竟然 第一 第二
    第三 第四 第五 简单地说 紧接着 纵使 纵然 终于 结果 继而 而 而且 自然 至今 至少 若 若是 若要 若非 虽 虽然 虽说 要不
    要不是 要不然 要么 要是 譬如 说到底 诸如 进而 连同 连带 那么 那末 鉴于此 除此之外 除非 随后 随即 难怪 难道 非但
    顾名思义 首先 具体来说 具体地说 一般来说 一般而言 严格说来 相对地 相形之下 相比之下 相较之下 似乎 仿佛 后来 到底
    由于 无论 无论如何 无论是 想来
""")

# Words of a source, an attitude, a question or a request before the rest of a clause.
INTERPERSONAL = _phrases("""
    为什么 为何 何不 何以 如何 怎么 怎样 怎能 哪里 是否 能否 可否 多么 据了解 据介绍 据悉 据报道 据称 据统计 据说 听说
    不幸 可惜 所幸 幸好 遗憾的是 令人遗憾的是 但愿 愿 希望 请 请问 让 拜托 感谢 谢谢 对不起 可能 大概 估计 无疑 肯定
    说不定 可以说 老实说 说实话 坦白说 我想 我看 是的 亲爱的 哦 嗯 喔 唉 哎 啊 呀 哇 喂 嘿 天哪 祈愿
""")

# Prepositions whose phrase before the rest of a clause is a circumstance.
PREPOSITIONS = _phrases("""
    在 早在 远在 当 每当 正当 从 打从 自 自从 自打 到 直到 直至 等到 截止 截至 对于 关于 至于 有关 针对 面对 随着 趁
    趁着 适逢 每逢 值 继 除 除了 为了 加上 经过 经由 通过 透过 按 按照 依据 依照 根据 据 鉴于 基于 本着 凭 凭借 凭着
    借着 沿 沿着 围绕 距 距离 比起 相对于 相较于 正如 正像 论 看在 不管是 同 与 和 跟 对 以 用 为 由 至 于 像 如同 等
    拿 较 相对 直 位于 随 依 借 临
""")
# Those that often begin the rheme: their phrase is a circumstance only before a comma.
UNDECIDED = _phrases("有关 通过 同 与 和 跟 对 以 用 为 由 至 于 像 如同 等 拿 较 相对 直 位于 随 依 借 凭 临")
# Those whose phrase ends with the comma, if no localiser ends it before.
FILLING = _phrases("""
    在 从 到 对于 随着 为了 除了 除 当 至于 关于 针对 根据 据 经过 面对 按照 依照 按 自从 鉴于 基于 比起 截至 直到 每当
    每逢 自 通过 加上 相对于
""")
SOURCES = _phrases("据 根据 依据")  # the source of information: interpersonal

# Words that close a circumstance: localisers and nouns of time.
LOCALISERS = _phrases("""
    上 上面 下 下面 中 中间 当中 里 里头 里面 内 内部 外 外头 外面 前 面前 后 背后 间 之间 之前 之后 之中 之内 之外
    之上 之下 之余 之时 之际 以前 以后 以来 以内 以外 以上 以下 以东 以西 以南 以北 底下 旁 旁边 边 左右 时 同时 时候
    时期 期间 初 末 底 起 开始 为止 方面 一样 的话 为例 来说 来讲 来看 看来 说来 而言 而论 那天 那年
""")
# Those that end a subordinate clause or a circumstance that fills the words before a comma.
CLOSING = _phrases("""
    时 后 之外 之前 之后 之时 之际 之余 之下 以前 以后 以来 时候 的时候 同时 期间 的话 为止 来说 来讲 来看 看来 说来
    而言 言 情况下
""")

PLACES = _phrases("其中 这里 那里 这儿 那儿 此间 当地 国内 国外 海外 境内 境外 现场 当场 期间")
TIMES = _phrases("""
    目前 现在 如今 眼下 眼前 时下 现 今 今后 今晚 今早 昨晚 前天 后天 当时 当晚 当初 此时 此刻 这时 这时候 那时 那时候
    过去 以前 从前 以往 以后 之后 之前 后来 将来 未来 最近 近来 近日 日前 早先 先前 不久 不久前 不久后 事后 事前 平时
    平日 有时 有时候 晚上 早上 上午 中午 下午 傍晚 凌晨 清晨 夜里 夜晚 年初 年底 年末 月初 月底 至今 迄今 迄今为止
    到目前为止 截至目前 截至目前为止 到现在 长期以来 一直以来 多年来 自古 自古以来 古时候 现阶段 其后 此后 此前 随后
    自此 昔日 昔 往年 历年 每次 这次 此次 那次 上次 下次 首次 本次 翌年 次年 次日 有一天 这些年 小时候 年轻时 中年 晚年
    早年 战后 战前 婚后 解放后 解放前 会后 会前 会上 届时 同期 春节 新年 周末 春天 夏天 秋天 冬天 一时间 刹那间 转眼
    转眼间 顷刻间 突然间 忽然间 一会儿 不一会儿
""")
_NUMBER = "[0-9０-９〇○零一二三四五六七八九十百千两几数多半廿卅]++"
_UNIT = (
    "(?:个多?)?(?:年代|年度|年|月份|月|日|号|天|周年|周|星期|点多?钟?|分钟?|小时|世纪|岁|"
    "季度|季|学期|学年|时许|时|秒钟?|届|辈子)"
)
_NEAR = (
    "(?:今|去|明|前|昨|当地时间|当|近|上|下|每|这|那|同|本|此|该|最近|过去|未来|今后|截至|大约|约|早在|就在|"
    "在|自|从|直到|到|至|公元前?|西元|民国|农历|北京时间|第|再过|又过|经过|不到|头|整整|整|星期|周|礼拜)"
)
_PART = (
    "(?:前|后|以来|来|间|代?初|底|代?末|中|[上中下]旬|以后|之后|以前|之前|期间|左右|[上下中]午|早上|晚上|"
    "凌晨|清晨|傍晚|夜|晚|[春夏秋冬]|[上下]半年|年[初底末]|[初中后末]期|起|开始|的时候|时|里|之?内|之间|以内|为止|"
    "[一二三四五六日])"
)
_DATE = f"(?:{_NUMBER}{_UNIT}|{_NEAR}{_UNIT}|(?:周|星期|礼拜)[一二三四五六日天])"
TIME = re.compile(f"(?:{_NEAR}|{_PART})*{_DATE}(?:{_DATE}|{_PART})*")
LONGEST_TIME = 24  # characters

# Adverbs and auxiliaries that begin the rheme after a nominal, even if the parser puts them into it.
RHEMATIC = _phrases("也 都 就 还 又 才 不 将 已 已经 没 没有 均 亦 便 再 更 只 仍 正 曾 并 却 则")
LINKS = _phrases("的 之 等 和 与 及 以及 或 “ ” 「 《 （ ·")  # after them a nominal goes on

# The traditional characters that stand for characters of these lists (著 in 隨著, too); forms are compared after
# :data:`SIMPLIFIED`.
_TRADITIONAL = (
    "並併來個倖僅儘兒內兩別則剎卻卽厤問單噹嚴國圍報場學實將對屆嵗帶幷幾彆彿後從愛憑戰換據數於旣時曆會東樣歲歷歸沒況淩"
    "為無爲爾獨現畢當盡眞確禮稱箇節簡紀約紹終結統經緊緻縱總繞繼纔義聽臨與著號虧衕裏裡親計託許話該說説請論諸講謝讓較輕"
    "輩轉農這連週進過遠適遶遺還邊針鈡鍵鍼鍾鐘鑑鑒長開間關階際隨隻雖離難鞦韆頃頭願顧顯餘餵體麪麫麵麼麽點鼕"
)
_SIMPLIFIED = (
    "并并来个幸仅尽儿内两别则刹却即历问单当严国围报场学实将对届岁带并几别佛后从爱凭战换据数于既时历会东样岁历归没况凌"
    "为无为尔独现毕当尽真确礼称个节简纪约绍终结统经紧致纵总绕继才义听临与着号亏同里里亲计托许话该说说请论诸讲谢让较轻"
    "辈转农这连周进过远适绕遗还边针钟键针钟钟鉴鉴长开间关阶际随只虽离难秋千顷头愿顾显余喂体面面面么么点冬"
)
SIMPLIFIED = str.maketrans(_TRADITIONAL, _SIMPLIFIED)
