"""Files of each format that hold what is easily lost, by their names."""

MARKDOWN = r"""---
title: "Front: matter"
---
# A title with `code` and *marks* #

Setext title
over two lines
==============

A paragraph with **bold *and italic* words**, ***both***, __strong__ and _em_ ~~struck~~ text.
It goes on here@@
after a hard break, and\
after another. Snake_case_words, 5 * 3 * 2, a \* b, \[no link\], AT&amp;T &copy; &nbsp; x.

- An item with [a link](http://a.b/c "A title") and ![a picture](x.png "Its title").
  More of the item.

  A second paragraph of it.
    - A nested item. Another sentence.

      ```sh
      code --here   # stays
      ```
    - [ ] A box to tick. [x] Not a box.
1. First item.
2) Other list.
   > A quotation in it
   over lazy lines.

> # Quoted title
> A quotation with **marks
> over lines**. It ends.
>
> - An item in it.

| A table | `code` | right |
|:--------|--------|------:|
| a \| b  | **x** y. Two sentences. | [l](u) |
| `a \| b` | last |

[Reference links][ref], [collapsed][], [shortcut], [![image in link](a.png)](b.html) and <http://auto.link/>.
A footnote[^1] here. Math $x_1 * y_2$ and {ref}`role`. {{ site.title }} stays, https://x.y/z_a too.

[ref]: http://example.org "The title"
[collapsed]: <c d>
[shortcut]: /s

[^1]: The note itself. It has two sentences.

<details><summary>An HTML block. Open it.</summary>

Text in **it**.

</details>

Inline <b>tags *here*</b><br>and <!-- a comment --> <span title="A tip">a span</span> too. <kbd>Ctrl</kbd>

    indented code stays

***
[](empty.html) **bold**next _it_ . ****** `` ` ``

+ plus item	with a tab
""".replace("@@", "  ")

HTML = """<!DOCTYPE html>
<!-- A comment. With two sentences. -->
<html lang=en><head><meta charset="utf-8"><title>A title &amp; more</title>
<style>p > a { color: red } /* not <b>text</b> */</style>
<script>if (a < b && c > d) { document.write("<p>Not text.</p>"); }</script>
</head>
<body class='x'>
<h1 id=one>Heading <small>with small</small> text</h1>
<p>First sentence with <b>bold <i>and italic</i></b> words.   Second
<a href="x.html?a=1&b=2" title='A "tip" here'>link</a>.
Third <img src="a.png" alt="A picture. It shows things." /> one<br>with a break<br/>and another.</p>
<p></p><p>   </p><p><b></b></p><div>Text in a div<p>and a paragraph<p>without an end
<ul><li>One <code>x &lt; y</code> item.<li>Two <var>n</var> items</ul>
<p>Caf&eacute; &#8211; &#x2014; 10&nbsp;MB &unknown; AT&T a < b.</p>
<p><ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby> is read so. \u200fRight to left\u200e marks.</p>
<p>A <span translate="no">Brand Name</span> stays. <span class="notranslate">This too.</span></p>
<pre>  preformatted   <b>text</b>
  stays </pre>
<textarea>Stays. As it is.</textarea><svg><text>Stays</text></svg>
<p>Crossing <b>tags <i>are</b> wrong</i> here. <a name="anchor"></a>After an anchor. Unclosed <em>emphasis.</p>
<table><tr><td>Cell one<td>Cell <b>two</b></table>
<p>One sentence <b>with bold. And the next</b> sentence goes on. <i><img src=x> A word</i> follows.</p>
<![CDATA[ not html ]]><?php echo "<p>x</p>"; ?>
<INPUT type="submit" value="Go" TITLE="Send it."> <BR> <p/>Odd.
</body></html>
"""

SUBTITLES = """1
00:00:01,000 --> 00:00:02,500
This sentence goes over <i>two

2
00:00:02,600 --> 00:00:04,000 X1:100 Y1:20
cues</i> and ends here. Another
one begins.

3
00:00:04,200 --> 00:00:05,000
- Who is there?
- It is me, {b}John{/b}.


4
00:00:15,000 --> 00:00:17,000
{\\an8}<font color="red">A pause</font> before it.

5
00:00:17,100 --> 00:00:18,000

6
00:00:18,100 --> 00:00:19,000
[DOOR SLAMS]
♪ A song goes on ♪

00:00:19,100 --> 00:00:20.000
Without a number.  \n
8
00:00:21,000 --> 00:00:22,000
...
"""

CATALOGUE = r"""# Translators' comment
#
#, fuzzy
msgid ""
msgstr ""
"Project-Id-Version: x\n"
"Content-Type: text/plain; charset=UTF-8\n"
"Plural-Forms: nplurals=2; plural=(n != 1);\n"

#. For translators
#: file.c:1
#, c-format
msgid "_Open %s in the \"editor\""
msgstr ""

#: file.c:2
msgctxt "menu"
msgid "Filled message."
msgstr "Volle Meldung."

#, fuzzy
#| msgid "Old"
msgid "Fuzzy message."
msgstr "Unsichere Meldung."

#, python-brace-format
msgid "%d file"
msgid_plural "{count} files are here. Look at them."
msgstr[0] ""
msgstr[1]   ""

msgid ""
"A long message\n"
"with <link xref=\"a b\">two &amp; more</link> lines.\tA tab \\ backslash.\n"
msgstr ""
""

msgid "Usage:\n  -f, --file=NAME  the file\n-v\tmore words\n\nIt \x41 rings\a, and\f\"ends\" \\x41 here.\r\n  \101\n"
msgstr ""

msgid "translator-credits"
msgstr ""

#~ msgid "Old message."
#~ msgstr ""
"""

XLIFF1 = """<?xml version="1.0" encoding="UTF-8"?>
<!-- a comment -->
<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2">
  <file original="a.txt" source-language="en" datatype="plaintext">
    <header><note>Not <b>text</b>.</note></header>
    <body>
      <trans-unit id="1">
        <source>Click <g id="1" ctype="bold">the <x id="2"/>button</g> &amp; wait &lt; 5 s.</source>
      </trans-unit>
      <trans-unit id="2" approved="yes"><source>Filled.</source><target state="final">Voll.</target></trans-unit>
      <trans-unit id="3" translate="no"><source>Kept text.</source></trans-unit>
      <trans-unit id="4"><source>Two <bpt id="1">&lt;b></bpt>words<ept id="1">&lt;/b></ept> here.</source><target
        state='new'/></trans-unit>
      <group translate="no"><trans-unit id="5"><source>Kept, too.</source></trans-unit></group>
      <trans-unit id="6"><source/><target></target></trans-unit>
      <trans-unit id="7"><source><![CDATA[Text & <b>markup</b> here.]]></source><target></target></trans-unit>
      <trans-unit id="8" xml:space="preserve"><source xml:space="preserve">  Two  blanks.
A new line.  </source>
      <seg-source><mrk mid="1" mtype="seg">Two  blanks.</mrk></seg-source></trans-unit>
    </body>
  </file>
</xliff>
"""

XLIFF2 = """<x:xliff xmlns:x="urn:oasis:names:tc:xliff:document:2.0" version="2.0" srcLang="en"><x:file id="f">
<x:unit id="u"><x:originalData><x:data id="d">%s</x:data></x:originalData>
<x:segment><x:source>Open <x:pc id="1">the file</x:pc> <x:ph id="2" dataRef="d"/> now.
 Then <x:sc id="3"/>close<x:ec startRef="3"/> it.</x:source></x:segment>
<x:ignorable><x:source> </x:source></x:ignorable>
<x:segment state="final"><x:source>Done.</x:source><x:target>Fertig.</x:target></x:segment>
</x:unit></x:file></x:xliff>"""

FILES = {
    "nasty.md": MARKDOWN,
    "nasty.html": HTML,
    "nasty.srt": SUBTITLES,
    "nasty.po": CATALOGUE,
    "nasty1.xlf": XLIFF1,
    "nasty2.xliff": XLIFF2,
}

PIECES = {
    "a.md": [
        "Text[^1] and[^b].\n\n[^1]: Note\n[^b]: Other *note.\n    It goes* on.\n\n[^c]:\n    Indented note.\n",
        "> A [b\n> c](d\n> 'e\n> f') g.\n> > Deeper *and\n> > deeper*\nand lazy.\n",
        "[a]: <x y> 'T\n  more'\n[b]:\n   /url\n   'Title'\n",
        "***\n\n- - -\n\n<hr>\n\n![](a.png)\n",
    ],
    "a.html": [
        "<template><p>Kept.</p></template><p>One<pre>\n  a   <b>b</b>\n</pre><textarea>\nA <b>b</b>. </textarea>Two.",
        "<p>See <svg class=i><title>Icon.</title></svg> the icon and <math><mi>x</mi></math> here.",
        "<p>Words. <!-- never <i>ends</i>",
        "<p>5 < 6 and <a href='x > y</a> words",
        "<!DOCTYPE html><!-- only --><br/><hr><img>",
    ],
    "a.srt": [
        "1\n00:00:01,000 --> 00:00:02,000 X1:10 X2:20 Y1:1 Y2:2\n\n2\n00:00:02,100 --> 00:00:03,000\n2\n",
        "00:00:01,000-->00:00:02,000\n{\\an8}Top\\Nline\\htwo\n   \n\n\n1\n0:0:2.1 --> 0:0:3.5\n  <i>So</I> \n",
    ],
}
"""Short texts of formats whose translation stands in the place of its source."""
