import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type Expression, format, parse, type Visitor, visit } from '../../src/filter/index.ts'
import { expression } from './arbitraries.ts'

const copy: Visitor<Expression> = {
  connective: (node, on) => ({ ...node, operands: node.operands.map(on) }),
  negation: (node, on) => ({ ...node, operand: on(node.operand) }),
  match: (node) => ({ ...node }),
  quantifier: (node, on) => ({ ...node, body: on(node.body) }),
}

it('a visitor that copies every node copies the tree', () => {
  fc.assert(
    fc.property(expression(true), (tree) => {
      expect(visit(tree, copy)).toEqual(tree)
    }),
  )
})

it('a visitor changes what it returns instead', () => {
  const renamed: Visitor<Expression> = {
    ...copy,
    match: (node) => ({ ...node, selector: { ...node.selector, path: ['Row', ...node.selector.path] } }),
  }
  const tree = visit(parse('A == 1 and not (B == 2 or any C as c { c == 3 })'), renamed)
  expect(format(tree)).toBe('Row.A == 1 and not (Row.B == 2 or (any C as c { Row.c == 3 }))')
})

it('a visitor does not see what it does not ask for', () => {
  const seen: string[] = []
  visit<void>(parse('A == 1 and any B as b { b == 2 }'), {
    connective: ({ operands }, on) => operands.forEach(on),
    negation: () => {},
    match: ({ selector }) => seen.push(...selector.path) && undefined,
    quantifier: () => {},
  })
  expect(seen).toEqual(['A'])
})
