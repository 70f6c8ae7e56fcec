/**
 * Folds a string for comparisons that ignore case, one code point at a time (Unicode simple case folding), so that
 * `ignoring case` means the same for `==` as for `matches`. The length in UTF-16 units stays the same.
 */
export function fold(text: string): string {
  if (!unusual.test(text)) return text.toLowerCase()
  return text
    .replace(unusualAll, (character) => folds.get(character) ?? character)
    .split(dottedI)
    .map((part) => part.toLowerCase())
    .join(dottedI)
}

/** Whether a string folds to a folded one. Most strings differ in length or in their first characters. */
export function foldsTo(text: string, folded: string): boolean {
  if (text.length !== folded.length) return false
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at)
    if (unit > 0x7f) return fold(text) === folded
    const lower = unit > 0x40 && unit < 0x5b ? unit + 0x20 : unit
    if (lower !== folded.charCodeAt(at)) return false
  }
  return true
}

/** It folds to itself, although its lower case has two code points. */
const dottedI = '\u0130'

/** Characters that `toLowerCase` does not fold, or lowers depending on context (`Σ`). */
const pairs =
  '\u00b5\u03bc\u017f\u0073\u0345\u03b9\u03a3\u03c3\u03c2\u03c3\u03d0\u03b2\u03d1\u03b8\u03d5\u03c6\u03d6\u03c0\u03f0\u03ba\u03f1\u03c1\u03f5\u03b5\u1c80\u0432' +
  '\u1c81\u0434\u1c82\u043e\u1c83\u0441\u1c84\u0442\u1c85\u0442\u1c86\u044a\u1c87\u0463\u1c88\ua64b\u1e9b\u1e61\u1fbe\u03b9\u1fd3\u0390\u1fe3\u03b0\ufb05\ufb06'

const folds = /* @__PURE__ */ (() => new Map(pairs.match(/../g)?.map(([from = '', to = '']) => [from, to])))()

const unusualIn = (flags: string): RegExp => new RegExp(`[${dottedI}${[...folds.keys()].join('')}]`, flags)
const unusual = /* @__PURE__ */ unusualIn('')
const unusualAll = /* @__PURE__ */ unusualIn('g')
