import { type AnyCommand, type Group, isGroup, usualExits } from '../../src/cli/command/declaration.ts'
import { flagUsage, usageOf } from '../../src/cli/command/usage.ts'
import { anchorOf, cell, codeCell, generatedBy, paragraphs, prose, table } from './markdown.ts'

/** The page of all commands of the program, from their declarations. */
export const commandPage = (root: Group): string =>
  `${paragraphs([
    generatedBy,
    '# Commands',
    `\`plinth\`: ${prose(root.about)}. \`plinth COMMAND --help\` prints what this page says of a command.`,
    ...commandsOf(root, 'plinth').map(({ name, command }) => section(name, command)),
  ])}\n`

interface Named {
  /** The full name: `plinth kv get`. */
  readonly name: string
  readonly command: AnyCommand
}

/** Every command of a group and of the groups in it. */
export const commandsOf = (group: Group, above: string): readonly Named[] =>
  Object.entries(group.commands).flatMap(([word, node]) => {
    const name = `${above} ${word}`
    return isGroup(node) ? commandsOf(node, name) : [{ name, command: node }]
  })

const section = (name: string, command: AnyCommand): string =>
  paragraphs([
    `## \`${name}\` {#${anchorOf(name)}}`,
    `${prose(sentence(command.about))}.`,
    prose(command.description ?? ''),
    `\`\`\`text\n${`${name} ${usageOf(command)}`.trim()}\n\`\`\``,
    table(
      ['Argument', 'Meaning'],
      command.words.map(({ name: word, about }) => [codeCell(word), cell(about)]),
    ),
    table(
      ['Flag', 'Meaning'],
      Object.entries(command.flags).map(([flag, declared]) => [
        codeCell(flagUsage(flag, declared)),
        cell(`${declared.about}${declared.type === 'string' ? more(declared) : ''}`),
      ]),
    ),
    table(
      ['Variable', 'Meaning'],
      Object.entries(command.environment ?? {}).map(([variable, about]) => [codeCell(variable), cell(about)]),
    ),
    'Examples:',
    `\`\`\`sh\n${command.examples.map(({ run, about }) => `# ${about}\n${run}`).join('\n\n')}\n\`\`\``,
    table(
      ['Exit code', 'Meaning'],
      Object.entries({ ...usualExits, ...command.exits }).map(([code, meaning]) => [code, cell(meaning)]),
    ),
  ])

const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** Further facts about a flag with a value. */
function more(flag: Extract<AnyCommand['flags'][string], { type: 'string' }>): string {
  const remarks = [
    flag.required ? 'required' : '',
    flag.multiple ? 'may be given several times' : '',
    flag.choices ? `one of ${flag.choices.map((choice) => `\`${choice}\``).join(', ')}` : '',
  ].filter((remark) => remark !== '')
  return remarks.length === 0 ? '' : ` (${remarks.join('; ')})`
}
