import type { Expression } from '../../../src/filter/index.ts'

/** A syntax tree, a node a line. */
export function treeText(node: Expression, indent = ''): string {
  const below = (nodes: readonly Expression[]) => nodes.map((each) => treeText(each, `${indent}  `)).join('')
  switch (node.type) {
    case 'and':
    case 'or':
      return `${indent}${node.type}\n${below(node.operands)}`
    case 'not':
      return `${indent}not\n${below([node.operand])}`
    case 'any':
    case 'all':
    case 'none': {
      const names = node.name ?? [node.key ?? '_', node.value ?? '_'].join(', ')
      return `${indent}${node.type} ${node.selector.path.join('.')} as ${names}\n${below([node.body])}`
    }
    case 'match': {
      const { selector, negated, op, operand, ignoreCase } = node
      const words = [selector.path.join('.'), negated ? `not ${op}` : op, operandText(operand)]
      if (ignoreCase) words.push('ignoring case')
      return `${indent}match ${words.filter((word) => word !== '').join(' ')}\n`
    }
    default:
      return node satisfies never
  }
}

function operandText(operand: Extract<Expression, { type: 'match' }>['operand']): string {
  if (operand === null) return ''
  switch (operand.type) {
    case 'value':
      return operand.form === 'string' ? JSON.stringify(operand.text) : `${operand.form} ${operand.text}`
    case 'values':
      return `[${operand.values.map(operandText).join(', ')}]`
    case 'field':
      return `@${operand.selector.path.join('.')}`
    default:
      return operand satisfies never
  }
}
