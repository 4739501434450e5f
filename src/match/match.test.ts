import { describe, expect, test } from 'vitest'
import { dictFrom, Float, truthy, type Value } from '../data/mod.ts'
import { expandNodegroup, type MatchOptions, type MatchSubject, match, parseTarget } from './mod.ts'

const subject: MatchSubject = {
  id: 'web1',
  grains: dictFrom({
    os: 'Debian',
    roles: ['web', 'TLS'],
    load: new Float(1),
    boot: 'uefi:secure',
    site: dictFrom({ city: 'Lisbon', rack: dictFrom({ row: 3 }) }),
    disks: [dictFrom({ name: 'sda' }), dictFrom({ name: 'sdb' })],
    ipv4: ['10.20.0.11', '127.0.0.1'],
    ipv6: ['fd00:20::11'],
  }),
  pillar: dictFrom({ tier: 'front', app: dictFrom({ port: 8080 }) }),
  opts: dictFrom({
    nodegroups: dictFrom({ fronts: 'web*', both: 'N@fronts and G@os:Debian' }),
    resources: dictFrom({ switch: ['sw-1'] }),
  }),
  data: dictFrom({ spam: 'eggs', list: ['A'], map: dictFrom({ k: 1 }) }),
}

describe('matchers', () => {
  test.each<[string, Value, MatchOptions, boolean]>([
    ['glob', 'web?', {}, true],
    ['glob', 'db*', { id: 'db1' }, true],
    ['glob', 5, {}, false],
    ['pcre', 'eb', {}, false],
    ['pcre', 'w.b\\d$', {}, true],
    ['list', 'a,web1,b', {}, true],
    ['list', 'a, web1', {}, false],
    ['list', ['web1'], {}, true],
    ['list', 5, {}, false],
    ['grain', 'os:deb*', {}, true],
    ['grain', 'os', {}, false],
    ['grain', 'os|debian', { delimiter: '|' }, true],
    ['grain', 'roles:tls', {}, true],
    ['grain', 'boot:uefi:secure', {}, true],
    ['grain', 'load:1.0', {}, true],
    ['grain', 'site:rack:row:3', {}, true],
    ['grain', 'site:rack', {}, true],
    ['grain', '*:lisbon', {}, false],
    ['grain', 'site:*:row:3', {}, true],
    ['grain', 'disks:name:sdb', {}, true],
    ['grain', 'site:*', {}, true],
    ['grain_pcre', 'os:^deb(ian)?$', {}, true],
    ['grain_pcre', 'os:(', {}, false],
    ['pillar', 'app:port:80*', {}, true],
    ['pillar_pcre', 'tier:f.o', {}, true],
    ['pillar_exact', 'tier:fr*', {}, false],
    ['pillar_exact', 'tier:FRONT', {}, true],
    ['ipcidr', '10.20.0.0/16', {}, true],
    ['ipcidr', 'fd00:20::11', {}, true],
    ['ipcidr', '10.20.0.1/16', {}, false],
    ['compound', 'web* and not G@os:RedHat', {}, true],
    ['compound', 'G@os:RedHat or ( I@tier:front and S@10.0.0.0/8 )', {}, true],
    ['compound', 'G|@os|Debian', {}, true],
    ['compound', 'web* not db*', {}, true],
    ['compound', 'web* db*', {}, false],
    ['compound', 'X@y or web*', {}, true],
    ['compound', 'R@range or web*', {}, false],
    ['compound', 'and web*', {}, false],
    ['compound', '( or web* )', {}, false],
    ['compound', 'N@both', {}, true],
    ['compound', 'N@nope or web*', {}, false],
    ['compound', 'T@switch:sw-1 and M@web1 and L@a,web1 and E@web', {}, true],
    ['compound', 'T@lamp', {}, false],
    ['compound', ['web*', 'and', 'G@os:Debian'], {}, true],
    ['compound', '', {}, false],
    ['nodegroup', 'both', {}, true],
    ['nodegroup', 'nope', {}, false],
    ['data', 'spam:e*', {}, true],
    ['data', 'list:a', {}, true],
    ['data', 'map:k', {}, true],
    ['data', 'nope:x', {}, false],
  ])('%s %j %j', (kind, target, options, wanted) => {
    expect(truthy(match(kind, target, subject, options))).toBe(wanted)
  })

  test('refuse a kind that does not exist, and a regular expression that is none', () => {
    expect(() => match('range', 'x', subject)).toThrow("'range_match.match'")
    expect(() => match('pcre', '(', subject)).toThrow('missing ), unterminated subpattern at position 0')
  })
})

describe('a word of a compound target', () => {
  test.each<[string, object]>([
    ['G@os:x', { engine: 'G', pattern: 'os:x' }],
    ['G|@os|x', { engine: 'G', delimiter: '|', pattern: 'os|x' }],
    ['G@@x', { engine: 'G', delimiter: '@', pattern: 'x' }],
    ['G@x@y', { engine: 'G', pattern: 'x@y' }],
    ['L|@x', { pattern: 'L|@x' }],
    ['G@', { pattern: 'G@' }],
    ['web@x', { pattern: 'web@x' }],
  ])('%s', (word, wanted) => {
    expect(parseTarget(word)).toEqual(wanted)
  })
})

describe('a nodegroup', () => {
  const groups = dictFrom({
    globs: 'web*',
    names: 'x y',
    list: ['x', 'y'],
    regex: 'w(1|2) z',
    self: 'N@self',
    loop: 'N@loop or x',
    nested: 'N@globs and x',
    names2: 'N@names or N@missing',
    number: 5,
    empty: '',
  })

  test.each<[string, string]>([
    ['globs', 'web*'],
    ['names', 'L@x,y'],
    ['list', 'L@x,y'],
    ['regex', 'E@w(1|2),z'],
    ['self', ''],
    ['loop', '( or x )'],
    ['nested', '( ( web* ) and x )'],
    ['names2', '( L@x,y or )'],
    ['number', ''],
    ['empty', 'L@'],
    ['missing', ''],
  ])('%s expands to "%s"', (name, wanted) => {
    expect(expandNodegroup(name, groups).join(' ')).toBe(wanted)
  })

  test('with a word that is no text fails as in Salt', () => {
    expect(() => expandNodegroup('g', dictFrom({ g: ['a', 42] }))).toThrow("argument of type 'int' is not iterable")
  })
})
