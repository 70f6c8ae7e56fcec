import * as z from 'zod'
import { argument, aText, type Check, like, optionalArgument } from '../../../operation/arguments.ts'
import { fields } from '../../../operation/known-fields.ts'
import type { ListPage } from './list-page.ts'

/** A string used as a key. Invalid Unicode could be stored but not found again. */
const isName: Check = (value) =>
  aText(value) ??
  (/\p{Surrogate}/u.test(String(value)) ? { path: [], message: 'expected valid Unicode' } : undefined)

/** An argument that is a name. */
export const named = (name: string) => argument<string>(name, isName)
/** Any text. */
export const text = (name: string) => argument<string>(name, aText)

export const path = text('path')
export const folder = optionalArgument(text('folder'))

export const texts = z.array(z.string())
export const seconds = z.int()
export const isTexts = like(texts)

/** The requested part of a list. */
export const listPage = optionalArgument(
  argument<ListPage>('page', fields(z.object({ after: z.string(), limit: z.int() }).partial().shape)),
)
