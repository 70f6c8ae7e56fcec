// A module registry in AWS Lambda: Hono translates the events of function URLs and API gateways.
import { Hono } from 'hono'
import { handle } from 'hono/aws-lambda'
import { createRegistry } from 'plinth/registry'

export const registry = createRegistry()
export const handler = handle(new Hono().all('*', (context) => registry.fetch(context.req.raw)))
