import { expect, it } from 'vitest'
import { refusalOf } from '../../../src/cli/module/index.ts'

const html = '<html><body>nginx</body></html>'
const lost = /not the registry but a server in between.*cannot reach the registry/

it.each([
  [413, html, /a server in between.*\(413\).*client_max_body_size/],
  [413, '{"errors":["The archive is too large"]}', /^publishing: The archive is too large \(413\)$/],
  [502, html, lost],
  [503, '', lost],
  [503, '{"ready":false,"starting":{"service":"","records":0}}', /the registry is starting: try again/],
  [403, html, /a server in between.*refuses the request \(403\)/],
  [404, html, /a server in between.*refuses the request \(404\)/],
  [404, '', /nothing is there \(404\)/],
  [404, '{"errors":["Not Found"]}', /nothing is there \(404\)/],
  [401, '{"errors":["Unauthorized"]}', /REGISTRY_TOKEN is not a token of this registry \(401\)/],
  [301, html, /redirects to https:\/\/modules.test\/: use the address that it names/],
  [200, html, /not that of a registry; is the address right/],
])('an answer of status %i with %j says who gave it', (status, text, message) => {
  expect(
    refusalOf({ status, text, headers: { location: 'https://modules.test/' } }, 'publishing').message,
  ).toMatch(message)
})
