import {
  constantOf,
  type Expression,
  objectEntries,
  positionAt,
  type StructureBody,
  structureSteps,
} from '../../hcl/structure/index.ts'
import { nextMacrotask } from '../../kernel/next-macrotask.ts'
import type { ConfigBody, ConfigFile, ConfigValue } from './source.ts'

/** Reads a `.tf` file. */
export async function readNativeFile(text: string): Promise<ConfigFile> {
  const { body, problems } = await inSteps(structureSteps(text))
  return {
    body: bodyOf(body, text),
    problems: problems.map(({ line, column, message }) => `${line}:${column}: ${message}`),
  }
}

/** Runs steps, and lets the event loop continue in between. */
async function inSteps<T>(steps: Generator<undefined, T>): Promise<T> {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
    await nextMacrotask()
  }
}

const bodyOf = ({ attributes, blocks }: StructureBody, file: string): ConfigBody => ({
  value: (name) => configValue(attributes.get(name), file),
  names: () => [...attributes.keys()],
  blocks: (type, labels) =>
    blocks
      .filter((block) => block.type === type && block.labels.length === labels)
      .map((block) => ({ labels: block.labels, body: bodyOf(block.body, file) })),
})

function configValue(expression: Expression | undefined, file: string): ConfigValue | undefined {
  if (expression === undefined) return undefined
  const { text, at } = expression
  return {
    text,
    get constant() {
      return constantOf(text)
    },
    entries: () => {
      const entries = objectEntries(expression)
      return (
        entries &&
        new Map(
          [...entries].flatMap(([name, entry]) => {
            const value = configValue(entry, file)
            return value ? [[name, value] as const] : []
          }),
        )
      )
    },
    get where() {
      const { line, column } = positionAt(file, at)
      return `${line}:${column}`
    },
  }
}
