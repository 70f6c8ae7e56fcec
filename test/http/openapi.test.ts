import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { errorsArray, openapi, reply, route, words } from '../../src/http/index.ts'

const at = route<undefined>()
const Note = z.object({ text: z.string(), tags: z.array(z.string()).default([]) }).meta({ id: 'Note' })
const handle = () => reply({})

const read = at({
  id: 'notes.read',
  method: 'GET',
  path: '/notes/:id',
  summary: 'Read a note',
  reply: Note,
  emits: { Index: 'when it changed' },
  handle,
})
const write = at({
  id: 'notes.write',
  method: 'PUT',
  path: '/notes/:id',
  summary: 'Write a note',
  body: Note,
  success: 204,
  refusals: ['taken', 'locked'],
  handle,
})

const rim = { statusOf: { taken: 409, locked: 409 }, dialect: errorsArray, words: words(['Acme']) }
const described = (...routes: Parameters<typeof openapi<undefined>>[2]) =>
  openapi('notes', 'Keeps notes.', routes, rim)

describe('the document of a route table', () => {
  it('tells every refusal under its status, in the shape that errors have', () => {
    const document = described(write)
    const content = { 'application/json': { schema: { $ref: '#/components/schemas/Errors' } } }
    expect(document.paths['/notes/{id}']?.['put']).toHaveProperty('responses.409', {
      description: 'refused: taken, locked',
      content,
    })
    expect(document.paths['/notes/{id}']?.['put']).toHaveProperty('responses.default.content', content)
    expect(document.components.schemas).toHaveProperty('Errors.required', ['errors'])
  })

  it('names what is sent apart from what is answered where a default makes them differ', () => {
    const { schemas } = described(read, write).components
    expect(schemas['Note']).toHaveProperty('required', ['text', 'tags'])
    expect(schemas['NoteInput']).toHaveProperty('required', ['text'])
    // Generators of clients take a default for a duty to send it.
    expect(JSON.stringify(schemas['NoteInput'])).not.toContain('default')
  })

  it('asks for a body where there has to be one', () => {
    const optional = at({ ...write, id: 'x', method: 'POST', path: '/x', body: Note.optional(), handle })
    const { paths } = described(write, optional)
    expect(paths['/notes/{id}']?.['put']).toHaveProperty('requestBody.required', true)
    expect(paths['/x']?.['post']).toHaveProperty('requestBody.required', false)
  })

  it('names headers by the product word', () => {
    expect(described(read).paths['/notes/{id}']?.['get']).toHaveProperty(
      'responses.200.headers.X-Acme-Index.description',
      'when it changed',
    )
  })

  it.each([
    ['always', [{ bearer: [] }]],
    ['sometimes', [{}, { bearer: [] }]],
    ['never', []],
  ] as const)('says who has to say who they are: %s', (asked, security) => {
    const credentials = {
      schemes: { bearer: { type: 'http', scheme: 'bearer' } },
      asked: () => asked,
      refusals: ['taken'],
    } as const
    const document = openapi('notes', '', [read], { ...rim, credentials })
    expect(document.paths['/notes/{id}']?.['get']).toHaveProperty('security', security)
    expect(document.components.securitySchemes).toEqual(credentials.schemes)
    expect(JSON.stringify(document).includes('refused: taken')).toBe(asked !== 'never')
  })

  it('describes a listing beside the read at its path, with any parameter names', () => {
    const Names = z.array(z.string())
    const list = at({
      id: 'notes.list',
      method: 'LIST',
      path: '/notes/*folder',
      summary: 'List notes',
      reply: Names,
      handle,
    })
    for (const routes of [
      [read, list],
      [list, read],
    ]) {
      const { paths } = described(...routes)
      expect(Object.keys(paths)).toEqual(['/notes/{id}'])
      const get = paths['/notes/{id}']?.['get']
      expect(get).toHaveProperty('operationId', 'notes.read')
      expect(get).toHaveProperty('parameters.1.name', 'list')
      expect(get).toHaveProperty('parameters.1.required', false)
      expect(get).toHaveProperty('responses.200.content.application/json.schema.anyOf.length', 2)
    }
    expect(described(list).paths['/notes/{folder}']?.['get']).toHaveProperty('parameters.1.required', true)
  })

  it('says any JSON without a schema that is made of itself', () => {
    const any = at({
      id: 'any',
      method: 'GET',
      path: '/any',
      summary: 'x',
      reply: z.object({ a: z.json() }),
      handle,
    })
    const { paths } = described(any)
    expect(paths['/any']?.['get']).toHaveProperty(
      'responses.200.content.application/json.schema.properties.a',
      {},
    )
  })
})
