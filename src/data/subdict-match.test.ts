import { describe, expect, it } from 'vitest'
import { type SubdictMatchOptions, subdictMatch } from './subdict-match.ts'
import type { Dict, Value } from './value.ts'

const dict = (entries: Record<string, Value>): Dict => new Map(Object.entries(entries))

const grains = dict({
  os: 'Debian',
  roles: ['web', dict({ db: 'Main' })],
  net: dict({ eth0: dict({ mtu: 1500 }), url: 'http://x' }),
  empty: new Map(),
})

describe('subdictMatch', () => {
  it.each<[string, SubdictMatchOptions, boolean]>([
    ['os:debian', {}, true],
    ['os:Deb*', {}, true],
    ['os:Deb*', { exact: true }, false],
    ['os:(deb|ubu).*', { regex: true }, true],
    ['os:ebian', { regex: true }, false],
    ['os:(', { regex: true }, false],
    ['os', {}, false],
    ['roles:web', {}, true],
    ['roles:db:main', {}, true],
    ['net:eth0', {}, true],
    ['net:eth0:mtu:1500', {}, true],
    ['net:url:http://x', {}, true],
    ['net:*:mtu:1500', {}, true],
    ['*:eth0:*', {}, true],
    ['net|url|http*', { delimiter: '|' }, true],
    ['empty:*', {}, false],
    ['missing:*', {}, false],
  ])('%s with %j is %s', (expression, options, expected) => {
    expect(subdictMatch(grains, expression, options)).toBe(expected)
  })
})
