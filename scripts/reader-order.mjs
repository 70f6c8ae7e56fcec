/** The kinds of declarations after those that an index names first. */
const kinds = ['Functions', 'Classes', 'Variables', 'Interfaces', 'Type Aliases', 'References']

/**
 * The groups of an index: a comment with an empty line after it, such as `// Start here`, is the title of the exports up
 * to the next one. The last group is the rest, which has no order of its own.
 *
 * @returns the names of the exports by title
 */
export function groupsOf(index) {
  const groups = new Map()
  let names = []
  for (const [, title, named] of index.matchAll(/^\/\/ (.+)\n\n|^export (?:type )?\{([^}]+)\}/gm))
    if (title !== undefined) {
      names = []
      groups.set(title, names)
    } else names.push(...named.split(',').flatMap((each) => each.trim().replace(/^type /, '') || []))
  return [...groups].slice(0, -1)
}

/**
 * A page of the API in the order of its reader: what the groups of the index name, under their titles; then the other
 * functions, classes and types by their kind. TypeDoc puts the kinds first, and interfaces before functions.
 */
export function inReaderOrder(page, index) {
  const [head = '', ...rest] = page.split(/^## /m)
  const sections = rest.map((text) => {
    const [kind = '', ...members] = text.split(/^### /m)
    return { kind: kind.trim(), members: members.map((member) => member.replace(/\n+(?:\*\*\*\n*)?$/, '')) }
  })
  const nameOf = (member) => /^(?:abstract )?\\?([\w$]+)/.exec(member.replaceAll('~~', ''))?.[1] ?? ''
  const all = sections.flatMap(({ members }) => members)
  const placed = new Set()
  const parts = []
  for (const [title, names] of groupsOf(index)) {
    const members = names.flatMap((name) =>
      all.filter((member) => nameOf(member) === name && !placed.has(member)),
    )
    for (const member of members) placed.add(member)
    const isCall = (member) => /^\S+\(\)/.test(member)
    // What one calls, before what it takes.
    members.sort((a, b) => Number(isCall(b)) - Number(isCall(a)))
    if (members.length > 0) parts.push({ title, members })
  }
  const rank = ({ kind }) => (kinds.includes(kind) ? kinds.indexOf(kind) : kinds.length)
  for (const { kind, members } of sections.sort((a, b) => rank(a) - rank(b))) {
    const others = members.filter((member) => !placed.has(member))
    if (others.length > 0) parts.push({ title: kind, members: others })
  }
  return (
    head +
    parts
      .map(
        ({ title, members }) => `## ${title}\n\n${members.map((each) => `### ${each}\n`).join('\n***\n\n')}`,
      )
      .join('\n')
  )
}
