import { describe, expect, it } from 'vitest'
import { addressOf, addressWithin, badCidr } from '../../src/networks/networks.ts'

describe('networks', () => {
  it.each([
    [[], undefined, true],
    [['10.0.0.0/8'], '10.1.2.3', true],
    [['10.0.0.0/8'], '11.1.2.3', false],
    [['10.0.0.0/8'], '::ffff:10.1.2.3', true],
    [['10.0.0.0/8'], undefined, false],
    [['10.0.0.0/8'], 'nonsense', false],
    [['2001:db8::/32', '127.0.0.1'], '2001:db8::1', true],
    [['127.0.0.1'], '127.0.0.1', true],
    [['::ffff:10.0.0.0/104'], '10.1.2.3', true],
    [['::ffff:10.0.0.0/104'], '::ffff:11.1.2.3', false],
    [['::ffff:127.0.0.1'], '127.0.0.1', true],
    [['::/0'], '127.0.0.1', false],
  ])('%j hold %s: %s', (cidrs, address, expected) => expect(addressWithin(cidrs, address)).toBe(expected))
  it('are checked when they are set', () => {
    expect(badCidr(['10.0.0.0/8', '10.0.0.1', '::1', '10.0.0.0/99'])).toBe('10.0.0.0/99')
  })
})

describe('the address that a proxy names', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['192.0.2.7:4711', '192.0.2.7'],
    ['2001:db8::1', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['[2001:db8::1]:443', '2001:db8::1'],
    ['', undefined],
    ['unknown', undefined],
    ['192.0.2', undefined],
    ['0x7f.1', undefined],
    ['192.0.2.7:', undefined],
    ['fe80::1%eth0', undefined],
    ['192.0.2.7 192.0.2.8', undefined],
  ])('%j is %s', (text, expected) => expect(addressOf(text)).toBe(expected))
})
