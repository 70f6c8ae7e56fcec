import * as api from '@opentelemetry/api'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { traced } from '../../src/http/index.ts'
import { createRegistry } from '../../src/registry/index.ts'

const exporter = new InMemorySpanExporter()
api.trace.setGlobalTracerProvider(
  new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }),
)
api.propagation.setGlobalPropagator(new W3CTraceContextPropagator())
afterAll(() => {
  api.trace.disable()
  api.propagation.disable()
})
beforeEach(() => exporter.reset())

describe('a traced service', () => {
  it('has one span for each request, below that of its caller, with route and status', async () => {
    const registry = createRegistry()
    const fetch = traced(registry.fetch, api)
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
    await fetch(new Request('http://app/v1/modules/acme?q=hidden', { headers: { traceparent } }))
    await fetch(new Request('http://app/nowhere'))
    const [found, lost, ...more] = exporter.getFinishedSpans()
    expect(more).toEqual([])
    expect(found).toMatchObject({
      name: 'GET /v1/modules/:namespace',
      kind: api.SpanKind.SERVER,
      attributes: {
        'http.request.method': 'GET',
        'http.response.status_code': 200,
        'http.route': '/v1/modules/:namespace',
      },
      parentSpanContext: { spanId: 'b7ad6b7169203331' },
      status: { code: api.SpanStatusCode.UNSET },
    })
    expect(found?.spanContext().traceId).toBe('0af7651916cd43dd8448eb211c80319c')
    expect(JSON.stringify(found?.attributes)).not.toContain('hidden')
    expect([lost?.name, lost?.attributes['http.response.status_code']]).toEqual(['GET', 404])
    await registry.close()
  })

  it('marks failures, of the service and of handlers that throw', async () => {
    const registry = createRegistry({ authenticate: () => Promise.reject(new Error('away')) })
    await traced(registry.fetch, api)(new Request('http://app/v1/modules'))
    const broken = traced(() => Promise.reject(new Error('broken')), api)
    await expect(broken(new Request('http://app/'))).rejects.toThrow('broken')
    const failed = { code: api.SpanStatusCode.ERROR }
    expect(exporter.getFinishedSpans().map(({ status }) => status)).toEqual([failed, failed])
    await registry.close()
  })
})
