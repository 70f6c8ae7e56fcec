import { describe, expect, it } from 'vitest'
import { found } from '../../../src/cli/box/catalog-client.ts'

const html = '<html><body>nginx</body></html>'
const starting = '{"ready":false,"starting":{"service":"catalog","records":12}}'
const answer = (status: number, text: string) => found({ status, text, headers: {} }, 'uploading acme/base')

describe('an answer', () => {
  it.each([
    [413, html, /not the catalog but a server in between.*\(413\).*client_max_body_size/],
    [502, html, /a server in between.*cannot reach the catalog \(502\)/],
    [503, '', /a server in between.*cannot reach the catalog \(503\)/],
    [503, starting, /^uploading acme\/base: the catalog is starting: try again/],
    [404, html, /a server in between.*refuses the request \(404\)/],
    [403, '<?xml version="1.0"?><Error/>', /a server in between.*refuses the request \(403\)/],
    [
      413,
      '{"errors":["The image is too large"],"success":false}',
      /^uploading acme\/base: The image is too large \(413\)$/,
    ],
    [200, html, /not that of a catalog/],
  ])('of status %i with %j says who gave it', (status, text, message) => {
    expect(() => answer(status, text)).toThrow(message)
  })

  it('says that something is missing only if the catalog says so', () => {
    expect(answer(404, '{"errors":["Resource not found!"],"success":false}')).toBeUndefined()
    expect(answer(404, '')).toBeUndefined()
  })
})
