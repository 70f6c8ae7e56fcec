import { resolve } from 'node:path'
import { expect, it } from 'vitest'

/** It belongs to a program with a DOM, and so is not checked with this one. */
const module = resolve('src/filter/element/index.ts')

it('can be imported where there is no DOM, as on a server', async () => {
  expect('HTMLElement' in globalThis).toBe(false)
  const { PlinthFilterElement } = await import(module)
  expect(PlinthFilterElement.formAssociated).toBe(true)
})
