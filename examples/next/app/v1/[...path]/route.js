// A module registry in a Next app, at /v1.
import { registry } from '../../../registry.mjs'

const { fetch } = registry

export {
  fetch as DELETE,
  fetch as GET,
  fetch as HEAD,
  fetch as OPTIONS,
  fetch as PATCH,
  fetch as POST,
  fetch as PUT,
}
