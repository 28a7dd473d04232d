"""Chinese, in simplified and traditional characters: closed classes and common words, written for this project.

Chinese has no articles, no gender but in written pronouns, and a plural (们) of pronouns and nouns for persons alone.
"""

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
    ("i", SINGULAR, PERSON, "我 俺 本人"),
    ("we", PLURAL, PERSON, "我们 我們 咱们 咱們 咱 俺们 俺們"),
    ("you", UNKNOWN, PERSON, "你 您 妳 你们 你們 您们 妳們"),
    ("he", SINGULAR, MASCULINE, "他 祂"),
    ("she", SINGULAR, FEMININE, "她"),
    ("it", SINGULAR, NEUTER, "它 牠"),
    ("they", PLURAL, UNKNOWN, "他们 他們 她们 她們 它们 它們 牠們"),
    ("their", UNKNOWN, UNKNOWN, "其 之"),
    ("self", UNKNOWN, UNKNOWN, "自己 自身 彼此 自我"),
    ("this", UNKNOWN, NEUTER, "这 這 此 这个 這個 本"),
    ("these", PLURAL, UNKNOWN, "这些 這些"),
    ("that", UNKNOWN, NEUTER, "那 那个 那個"),
    ("those", PLURAL, UNKNOWN, "那些"),
    ("who", UNKNOWN, PERSON, "谁 誰"),
    ("what", UNKNOWN, NEUTER, "什么 什麼 甚麼"),
    ("someone", SINGULAR, PERSON, "某人 有人 别人 別人 大家 人人 人家"),
    ("each", UNKNOWN, UNKNOWN, "另 其他 其它 一些 有些 两者 兩者"),
    ("here", UNKNOWN, NEUTER, "这里 這裡 這裏 那里 那裡 那裏 这儿 那儿 这边 那边 此地 当地 當地"),
    ("now", UNKNOWN, NEUTER, "现在 現在 当时 當時 此时 此時 那时 那時 今天 明天 昨天 今晚 如今"),
)
REFERENTS = {
    "i": ANYONE | SPEAKING,
    "we": SEVERAL | BODY | SPEAKING,
    "you": ANYONE | SEVERAL | BODY | SPEAKING,
    "he": MAN | SOMEONE | TOLD,  # also of persons of unknown gender
    "she": WOMAN | TOLD,
    "it": THING | BODY | TOLD,
    "they": SOMEONE | BODY | SEVERAL | TOLD,
    "their": ANYONE | THING | BODY | SEVERAL | TOLD,
    "someone": ANYONE | SEVERAL | TOLD,
    "here": THING | BODY | TOLD,
    "now": THING | TOLD,
}
SAYING = words(
    "说 說 道 说道 說道 问 問 问道 問道 答 答道 回答 喊 喊道 叫 叫道 告诉 告訴 写道 寫道 表示 指出 解释 解釋 补充 補充 "
    "宣布 强调 強調 認為 认为 想 心想 笑道 低语 吩咐 命令 警告"
)
ADDRESSING = words("对 對 跟 向 和 同 与 與")
DETERMINERS = {
    **dict.fromkeys(words("这 這 那 此 该 該 这些 這些 那些 这个 這個 那个 那個"), "demonstrative"),
    **dict.fromkeys(words("一 一个 一個 一种 一種 某"), "indefinite"),
    **dict.fromkeys(words("我 我的 你 你的 您 他 他的 她 她的 它 它的 其 我们 他们 你们"), "possessive"),
    **dict.fromkeys(words("每 各 所有 一些 许多 許多 很多 几 幾 两 兩"), "quantified"),
}
MASCULINE_WORDS = words(
    "先生 男人 男子 男孩 男生 爸爸 父亲 父親 爸 爹 哥哥 弟弟 哥 弟 兄弟 儿子 兒子 叔叔 伯伯 舅舅 爷爷 爺爺 祖父 外公 "
    "孙子 孫子 丈夫 老公 男友 国王 國王 王子 皇帝 公爵 伯爵 太子 和尚 神父 主教 教皇 新郎"
)
FEMININE_WORDS = words(
    "女士 小姐 夫人 太太 女人 女子 女孩 女生 妈妈 媽媽 母亲 母親 妈 媽 姐姐 妹妹 姐 妹 女儿 女兒 阿姨 姑姑 奶奶 祖母 "
    "外婆 孙女 孫女 妻子 老婆 女友 女王 王后 公主 皇后 修女 新娘"
)
PERSON_WORDS = words(
    "人 孩子 小孩 学生 學生 老师 老師 教师 教授 医生 醫生 护士 律师 律師 法官 作家 作者 诗人 画家 歌手 演员 演員 "
    "导演 科学家 学者 專家 专家 工程师 球员 教练 队长 军官 士兵 将军 總統 总统 主席 总理 首相 部长 市长 州长 大使 "
    "领袖 领导人 成员 朋友 邻居 同事 同学 伙伴 工人 员工 老板 经理 主任 秘书 客人 公民 居民 候选人 受害者 嫌犯 证人 "
    "病人 记者 编辑 司机 游客 农民 商人 运动员 选手 小偷 凶手 罪犯 警察 侦探 敌人 对手 政治家 外交官 创始人 婴儿 "
    "青年 老人 成人 儿童 父母 先知"
)
GROUP_WORDS = words(
    "公司 企业 企業 机构 機構 组织 組織 学院 大学 大學 学校 學校 教会 教會 医院 醫院 银行 銀行 法院 政府 议会 議會 "
    "国会 國會 参议院 部门 部門 委员会 委員會 董事会 联盟 聯盟 党 黨 政党 队 隊 球队 球隊 俱乐部 乐队 樂隊 乐团 小组 "
    "军队 軍隊 警方 家庭 社区 社區 部落 民族 国家 國家 城市 城镇 村庄 协会 協會 媒体 報紙 报纸 餐厅 酒店 博物馆 "
    "图书馆"
)
ANIMAL_WORDS = words(
    "狗 猫 貓 马 馬 牛 猪 豬 羊 鸡 雞 鸭 鸟 鳥 狐狸 狼 熊 狮子 老虎 大象 猴子 兔子 老鼠 鹿 驴 蛇 龙 龍 鱼 魚 动物 "
    "動物 宠物 婴儿"
)
PLACES = words(
    "中国 中國 美国 美國 英国 英國 法国 法國 德国 德國 日本 韩国 韓國 俄罗斯 俄羅斯 印度 意大利 西班牙 加拿大 "
    "澳大利亚 巴西 埃及 希腊 土耳其 波兰 瑞典 挪威 荷兰 北京 上海 香港 台湾 臺灣 台北 伦敦 倫敦 巴黎 纽约 紐約 东京 "
    "東京 柏林 莫斯科 罗马 羅馬 欧洲 歐洲 亚洲 亞洲 非洲 美洲"
)
EMPTY_WORDS = words(
    "的 之 了 着 著 在 于 於 和 与 與 及 或 从 從 对 對 为 為 以 这 這 那 此 该 該 个 個 种 種 位 名 些 一 ， 。 、 "
    "《 》 “ ” （ ） · ‧ ・ • - －"
)

CHINESE = ReferringWords(
    language="zh",
    pronouns=pronouns(PRONOUN_ROWS),
    referents=REFERENTS,
    reflexive=words("自己 自身 彼此 自我"),
    saying=SAYING,
    addressing=ADDRESSING,
    speaking=words("我 我们 我們 咱们 咱們 你 您 妳 你们 你們"),
    adverbs=words("这里 這裡 这里 那里 那裡 这儿 那儿 现在 現在 当时 當時 今天 明天 昨天"),
    plural_endings=("们", "們"),
    plural_shows=False,
    determiners=DETERMINERS,
    unspaced=True,
    repeats_names=True,
    masculine=MASCULINE_WORDS,
    feminine=FEMININE_WORDS,
    persons=PERSON_WORDS,
    groups=GROUP_WORDS,
    animals=ANIMAL_WORDS,
    places=PLACES,
    thing_names=words("省 市 县 縣 区 區 路 街 山 河 湖 海 岛 島 大学 大學 公司 银行 战争 戰爭 条约 奖 獎"),
    place_cases=words("在 到 于 於 从 從 往"),
    empty=EMPTY_WORDS,
)
