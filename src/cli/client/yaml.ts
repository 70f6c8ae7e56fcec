/** JSON data as YAML 1.2 in block style. Every string that YAML could read as something else is quoted as in JSON. */
export function yaml(data: unknown, indent = ''): string {
  if (Array.isArray(data))
    return data.length === 0
      ? `${indent}[]\n`
      : data.map((item) => `${indent}- ${inline(item, indent)}`).join('')
  if (typeof data === 'object' && data !== null) {
    const members = Object.entries(data).filter(([, value]) => value !== undefined)
    if (members.length === 0) return `${indent}{}\n`
    return members.map(([name, value]) => `${indent}${scalar(name)}:${member(value, indent)}`).join('')
  }
  return `${indent}${scalar(data)}\n`
}

const isBlock = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && Object.keys(value).length > 0

/** After a dash, the first line of a block continues on the same line. */
const inline = (item: unknown, indent: string): string =>
  isBlock(item) ? yaml(item, `${indent}  `).trimStart() : yaml(item)

const member = (value: unknown, indent: string): string =>
  isBlock(value) ? `\n${yaml(value, `${indent}  `)}` : ` ${yaml(value)}`

function scalar(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value) ?? 'null'
  return /^[a-z_][\w./-]*$/i.test(value) && !/^(?:true|false|yes|no|on|off|null|y|n)$/i.test(value)
    ? value
    : JSON.stringify(value)
}
