import type { Operator } from '../ast.ts'
import { textsOf } from '../operators/table.ts'
import type { Reader } from './expected.ts'

/** One way to write an operator after its selector: `==`, `not contains`; for a count, after what is counted. */
export interface OperatorText {
  readonly op: Operator
  readonly negated: boolean
  readonly text: string
}

/** The spellings of the operators, positive and negative, in the dialect of a parser. */
export function operatorTexts(reader: Reader): readonly OperatorText[] {
  return (Object.keys(textsOf) as Operator[]).flatMap((op) =>
    [false, true].flatMap((negated) => {
      const written = (right: string) =>
        textsOf[op]({ op, left: 'x', right, negated, not: negated ? 'not ' : '', end: '', field: true })
      const isUsual = rights.some((right) => {
        const tree = reader.tree(written(right))
        return tree?.type === 'match' && tree.op === op && tree.negated === negated
      })
      return isUsual
        ? [
            {
              op,
              negated,
              text: written('')
                .replace(/^(?:count )?x /, '')
                .trim(),
            },
          ]
        : []
    }),
  )
}

/** Sample right-hand sides, one for each kind of operator. */
const rights = ['', '0', '["0"]', '0 and 0']
