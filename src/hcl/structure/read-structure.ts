import type { Expression, StructureBlock, StructureBody, StructureProblem } from './model.ts'
import { Scanner, Unreadable } from './scanner.ts'

/** The maximum number of errors reported per file. */
const mostProblems = 10

/** A parsing step ends after this many characters, at the end of the current block. */
const charactersPerStep = 32 * 1024

/**
 * Reads the structure of a file in the second version of the configuration language: blocks, labels and attributes,
 * whose expressions stay text.
 *
 * @returns the readable parts and the errors: after an error, reading continues at the next line that begins a block
 */
export function readStructure(text: string): ReadStructure {
  const reading = structureSteps(text)
  for (;;) {
    const step = reading.next()
    if (step.done) return step.value
  }
}

/** The readable parts of a file, and its errors. */
export interface ReadStructure {
  readonly body: StructureBody
  readonly problems: readonly StructureProblem[]
}

/** Reads like {@link readStructure}, in slices of some milliseconds, so that other requests are served meanwhile. */
export function* structureSteps(text: string): Generator<undefined, ReadStructure> {
  const scanner = new Scanner(text)
  const body = emptyBody()
  const problems: StructureProblem[] = []
  let resting = 0
  while (problems.length < mostProblems) {
    try {
      while (readItem(scanner, body, undefined)) {
        if (scanner.at - resting < charactersPerStep) continue
        resting = scanner.at
        yield undefined
      }
      break
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error
      problems.push({ ...positionAt(text, error.at), message: error.message })
      scanner.resume(nextBlock(text, error.at))
    }
  }
  return { body, problems }
}

interface GrowingBody extends StructureBody {
  readonly attributes: Map<string, Expression>
  readonly blocks: StructureBlock[]
}

const emptyBody = (): GrowingBody => ({ attributes: new Map(), blocks: [] })

/**
 * Reads an attribute or a block of a file, or of a block's body; false at its end.
 *
 * @param start - the position of the brace
 */
function readItem(scanner: Scanner, body: GrowingBody, start: number | undefined): boolean {
  scanner.skipSpace({ lines: true })
  if (scanner.isAtEnd) {
    if (start === undefined) return false
    scanner.fail('there is no "}" to close this block', start)
  }
  if (start !== undefined && scanner.has('}')) return false
  const at = scanner.at
  const name = scanner.name()
  if (name === undefined)
    scanner.fail(`expected the name of an attribute or a block, found ${JSON.stringify(scanner.next)}`)
  scanner.skipSpace({ lines: false })
  if (scanner.next === '=') {
    scanner.at += 1
    body.attributes.set(name, readExpression(scanner))
  } else body.blocks.push(readBlock(scanner, name, at))
  return true
}

function readBlock(scanner: Scanner, type: string, at: number): StructureBlock {
  const labels: string[] = []
  for (;;) {
    scanner.skipSpace({ lines: false })
    const start = scanner.at
    if (scanner.has('{')) {
      const body = emptyBody()
      scanner.within(() => {
        while (readItem(scanner, body, start));
      })
      return { type, labels, body, at }
    }
    labels.push(readLabel(scanner, type))
  }
}

function readLabel(scanner: Scanner, type: string): string {
  if (scanner.next !== '"') {
    const name = scanner.name()
    return (
      name ??
      scanner.fail(`expected "=", a label or "{" after ${type}, found ${JSON.stringify(scanner.next)}`)
    )
  }
  const start = scanner.at
  scanner.skipString()
  const text = scanner.text.slice(start + 1, scanner.at - 1)
  if (/[$%]\{/.test(text)) scanner.fail('a label is plain text, without a template', start)
  return text.replace(/\\(["\\])/g, '$1')
}

/** Reads to the end of the line, or of the block that is on one line with it. */
function readExpression(scanner: Scanner): Expression {
  scanner.skipSpace({ lines: false })
  const at = scanner.at
  let end = at
  while (!scanner.isAtLineEnd && scanner.next !== '}') {
    // In a block of one line, commas do not separate attributes; elsewhere nothing may follow.
    scanner.skipToken()
    end = scanner.at
    scanner.skipSpace({ lines: false })
  }
  if (end === at) scanner.fail('expected a value after "="', at)
  return { text: scanner.text.slice(at, end), at }
}

/** The start of the next block, guessed by lines: a line that begins with the name of a block. */
function nextBlock(text: string, after: number): number {
  const begins = /\n(?=[A-Za-z_][\w-]*[ \t]*(?:"[^"\n]*"[ \t]*)*\{)/g
  begins.lastIndex = after
  const found = begins.exec(text)
  return found ? found.index + 1 : text.length
}

/** The line and column of a place; both count from 1, columns in UTF-16 units. */
export function positionAt(text: string, at: number): { readonly line: number; readonly column: number } {
  let line = 1
  let start = 0
  for (let end = text.indexOf('\n'); end >= 0 && end < at; end = text.indexOf('\n', start)) {
    line += 1
    start = end + 1
  }
  return { line, column: at - start + 1 }
}
