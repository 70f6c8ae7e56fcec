/** The text before a cursor, as far as its brackets, strings and connectives determine it. */
export interface Unfinished {
  /** The missing closing brackets, innermost first. */
  readonly closers: string
  /** The start of the string that contains the cursor. */
  readonly openString: number | undefined
  /** The last operand, after the heads of the quantifiers around it: used if the text before it has a mistake. */
  readonly remainder: string
}

const closing: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' }

/** Scans the text up to a cursor once; the contents of strings are ignored. */
export function unfinishedOf(before: string): Unfinished {
  const open: { readonly sign: string; readonly head: string }[] = []
  let openString: number | undefined
  /** The end of the last bracket or connective. */
  let last = 0
  for (const { 0: token, index } of before.matchAll(tokens)) {
    const end = index + token.length
    if (token in closing) {
      open.push({ sign: token, head: before.slice(last, end) })
      if (token !== '[') last = end
    } else if (/^[\])}]$/.test(token)) open.pop()
    else if (/^["`]/.test(token)) {
      if (token.length === 1 || !token.endsWith(token.charAt(0))) openString = index
    } else last = end
  }
  const heads = open.flatMap(({ sign, head }) => (sign === '{' ? [head] : []))
  return {
    closers: open.reduceRight((closers, { sign }) => closers + closing[sign], ''),
    openString,
    remainder: heads.join(' ') + before.slice(last),
  }
}

const tokens = /"[^"]*"?|`[^`]*`?|[()[\]{}]|\b(?:and|or|not)\b/g
