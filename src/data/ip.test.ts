import { describe, expect, it } from 'vitest'
import { ipAddress, ipInterface, ipNetwork } from './ip.ts'
import { tuple } from './value.ts'

const message = (run: () => unknown): string => {
  try {
    return `no error: ${run()}`
  } catch (error) {
    return (error as Error).message
  }
}

describe('ipAddress', () => {
  it.each([
    ['192.168.0.1', '192.168.0.1'],
    ['FE80:0:0::0001', 'fe80::1'],
    ['0:0:1:0:0:0:1:0', '0:0:1::1:0'],
    ['::ffff:1.2.3.4', '::ffff:102:304'],
    ['fe80::1%eth0', 'fe80::1%eth0'],
    ['::', '::'],
  ])('writes %s as %s', (text, wanted) => {
    expect(String(ipAddress(text))).toBe(wanted)
  })

  it('takes ints and packed bytes', () => {
    expect(String(ipAddress(5))).toBe('0.0.0.5')
    expect(String(ipAddress(2 ** 32))).toBe('::1:0:0')
    expect(String(ipAddress(new Uint8Array([10, 0, 0, 1])))).toBe('10.0.0.1')
  })

  it.each([
    ['01.2.3.4', 4, "Leading zeros are not permitted in '01' in '01.2.3.4'"],
    ['1.2.3', 4, "Expected 4 octets in '1.2.3'"],
    ['1.2.3.300', 4, "Octet 300 (> 255) not permitted in '1.2.3.300'"],
    ['1::2::3', 6, "At most one '::' permitted in '1::2::3'"],
    [':1:2:3:4:5:6:7', 6, "Leading ':' only permitted as part of '::' in ':1:2:3:4:5:6:7'"],
    ['::1.2.3', 6, "Expected 4 octets in '1.2.3' in '::1.2.3'"],
    ['1:2', 6, "At least 3 parts expected in '1:2'"],
  ] as const)('refuses %s as IPv%d: %s', (text, version, wanted) => {
    expect(message(() => ipAddress(text, version))).toBe(wanted)
  })

  it('names neither version when none fits', () => {
    expect(message(() => ipAddress('bogus'))).toBe("'bogus' does not appear to be an IPv4 or IPv6 address")
    expect(message(() => ipAddress(null))).toBe('None does not appear to be an IPv4 or IPv6 address')
  })

  it('knows the special ranges and the reachable blocks inside them', () => {
    expect(ipAddress('10.0.0.1').isPrivate).toBe(true)
    expect(ipAddress('192.0.0.9').isPrivate).toBe(false)
    expect(ipAddress('100.64.0.1').isPrivate).toBe(false)
    expect(ipAddress('100.64.0.1').isGlobal).toBe(false)
    expect(ipAddress('::ffff:8.8.8.8').isPrivate).toBe(false)
    expect(ipAddress('fec0::1').isSiteLocal).toBe(true)
  })
})

describe('ipInterface', () => {
  it('keeps its prefix, whatever form the mask has', () => {
    expect(String(ipInterface('10.1.2.3/255.255.0.0'))).toBe('10.1.2.3/16')
    expect(String(ipInterface('10.1.2.3/0.0.255.255'))).toBe('10.1.2.3/16')
    expect(String(ipInterface(tuple(['10.1.2.3', 8])))).toBe('10.1.2.3/8')
    expect(String(ipInterface('fe80::1'))).toBe('fe80::1/128')
  })

  it('is never the unspecified IPv4 address', () => {
    expect(ipInterface('0.0.0.0/8').isUnspecified).toBe(false)
    expect(ipInterface('::/128').isUnspecified).toBe(true)
  })
})

describe('ipNetwork', () => {
  it('refuses host bits only when strict', () => {
    expect(message(() => ipNetwork('10.0.0.1/8'))).toBe('10.0.0.1/8 has host bits set')
    expect(String(ipNetwork('10.0.0.1/8', false))).toBe('10.0.0.0/8')
  })

  it.each([
    ['10.0.0.0/30', ['10.0.0.1', '10.0.0.2']],
    ['10.0.0.0/31', ['10.0.0.0', '10.0.0.1']],
    ['10.0.0.1', ['10.0.0.1']],
    ['2001:db8::/126', ['2001:db8::1', '2001:db8::2', '2001:db8::3']],
  ])('lists the hosts of %s', (text, wanted) => {
    expect([...ipNetwork(text).hosts()].map(String)).toEqual(wanted)
  })

  it('counts and contains', () => {
    expect(ipNetwork('::/0').size).toBe(2n ** 128n)
    expect(ipNetwork('fe80::/64').contains(ipAddress('fe80::7'))).toBe(true)
    expect(ipNetwork('fe80::/64').contains(ipAddress('10.0.0.1'))).toBe(false)
  })

  it('names a bad netmask', () => {
    expect(message(() => ipNetwork('1.2.3.4/255.0.255.0', true, 4))).toBe("'255.0.255.0' is not a valid netmask")
  })
})
