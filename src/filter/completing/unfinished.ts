/** The text in front of a cursor, as far as its brackets, strings and connectives say. */
export interface Unfinished {
  /** The closing brackets that are still to come, innermost first. */
  readonly closers: string
  /** Where the string begins that the cursor stands in. */
  readonly openString: number | undefined
  /** The last operand, behind the heads of the quantifiers around it: what is left of a text with a mistake before. */
  readonly remainder: string
}

const closing: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' }

/** Reads the text up to a cursor once; what is in strings is nothing else. */
export function unfinishedOf(before: string): Unfinished {
  const open: { readonly sign: string; readonly head: string }[] = []
  let openString: number | undefined
  /** Behind the last bracket or connective. */
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
