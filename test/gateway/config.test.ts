import { describe, expect, it } from 'vitest'
import { checkGatewayConfig, type GatewayConfigInput } from '../../src/gateway/index.ts'

const listener = (purpose: string, change: object = {}) => ({ purpose, tls_disable: true, ...change })
const sound: GatewayConfigInput = { listener: [listener('api'), listener('ops')], controller: {} }

describe('a gateway configuration', () => {
  it('gives each listener its default address and no grace', () => {
    expect(checkGatewayConfig(sound)).toEqual({
      ok: true,
      value: {
        listeners: [
          { purpose: 'api', host: '127.0.0.1', port: 9200 },
          { purpose: 'ops', host: '127.0.0.1', port: 9203 },
        ],
        controller: true,
        worker: false,
        graceMs: 0,
      },
    })
  })

  it.each([
    ['10s', 10_000],
    ['1m30s', 90_000],
    [10, 10_000],
    ['10', 10_000],
    [0.5, 500],
    ['0s', 0],
  ])('reads the grace %j as %i ms', (graceful_shutdown_wait_duration, graceMs) => {
    const checked = checkGatewayConfig({ ...sound, controller: { graceful_shutdown_wait_duration } })
    expect(checked).toMatchObject({ ok: true, value: { graceMs } })
  })

  it.each([
    ['0.0.0.0:8080', '0.0.0.0', 8080],
    [':8080', '127.0.0.1', 8080],
    ['ops.example.com', 'ops.example.com', 9203],
    ['[::1]:8080', '::1', 8080],
    ['[::1]', '::1', 9203],
  ])('reads the address %s', (address, host, port) => {
    const checked = checkGatewayConfig({ listener: [listener('OPS', { address })], worker: {} })
    expect(checked).toMatchObject({ ok: true, value: { listeners: [{ purpose: 'ops', host, port }] } })
  })

  it.each<[string, GatewayConfigInput, string, string]>([
    [
      'no purpose',
      { listener: [{ tls_disable: true }] },
      'listener[0].purpose',
      'Listener specified without a purpose',
    ],
    [
      'two purposes',
      { listener: [listener('api'), { purpose: ['ops', 'api'] }] },
      'listener[1].purpose',
      'Specifying a listener with more than one purpose is not supported',
    ],
    [
      'an unknown purpose',
      { listener: [listener('metrics')] },
      'listener[0].purpose',
      'Unknown listener purpose "metrics"',
    ],
    [
      'a prototype key for a purpose',
      { listener: [listener('constructor')] },
      'listener[0].purpose',
      'Unknown listener purpose "constructor"',
    ],
    [
      'TLS without a certificate',
      { listener: [{ purpose: 'ops', address: '10.0.0.1' }] },
      'listener[0].tls_cert_file',
      'tls not disabled for listener at address "10.0.0.1:9203" with purpose "ops" but no certificate file supplied',
    ],
    [
      'an address with too much in it',
      { listener: [listener('ops', { address: 'a:b:c' })] },
      'listener[0].address',
      '"a:b:c" is not an address such as 127.0.0.1:9203',
    ],
    [
      'a port beyond the last',
      { listener: [listener('ops', { address: ':65536' })] },
      'listener[0].address',
      '":65536" is not an address such as 127.0.0.1:9203',
    ],
    [
      'an unreachable controller',
      { listener: [listener('ops')], controller: {} },
      'controller',
      'Config activates controller but no listener with "api" purpose found',
    ],
    [
      'an ops listener with nothing behind it',
      { listener: [listener('ops')] },
      'listener[0].purpose',
      'an "ops" listener needs a controller or a worker in the same config',
    ],
  ])('refuses %s', (_, config, key, message) => {
    expect(checkGatewayConfig(config)).toEqual({
      ok: false,
      refusal: { code: 'invalid_gateway_config', message, detail: { key } },
    })
  })

  it.each(['soon', '-1s', -1, '10 s', '1d'])('refuses the grace %j', (graceful_shutdown_wait_duration) => {
    expect(checkGatewayConfig({ ...sound, controller: { graceful_shutdown_wait_duration } })).toMatchObject({
      ok: false,
      refusal: { detail: { key: 'controller.graceful_shutdown_wait_duration' } },
    })
  })

  it('asks for more listeners where the host does', () => {
    const checked = checkGatewayConfig({ ...sound, worker: {} }, { controller: ['api'], worker: ['proxy'] })
    expect(checked).toMatchObject({
      refusal: { message: 'Config activates worker but no listener with "proxy" purpose found' },
    })
  })
})
