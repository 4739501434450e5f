import { describe, expect, it } from 'vitest'
import { highlight } from './highlight.ts'
import { crumbs, folderOf, isFolder, slsName } from './paths.ts'

describe('paths', () => {
  it.each([
    ['', '', true, undefined],
    ['top.sls', '', false, 'top'],
    ['web/', 'web', true, undefined],
    ['web/nginx/init.sls', 'web/nginx', false, 'web.nginx'],
    ['web/files/site.conf', 'web/files', false, undefined],
  ])('%s is in the folder %s', (path, folder, isOne, name) => {
    expect([folderOf(path), isFolder(path), slsName(path)]).toEqual([folder, isOne, name])
  })

  it('have crumbs', () => {
    expect(crumbs('web/nginx/init.sls')).toEqual([
      { name: 'web', path: 'web/' },
      { name: 'nginx', path: 'web/nginx/' },
    ])
    expect(crumbs('web/').map(({ name }) => name)).toEqual(['web'])
    expect(crumbs('top.sls')).toEqual([])
  })
})

describe('colours', () => {
  const shown = (line: string): string =>
    highlight(line)
      .map(([kind, text]) => (kind === 'plain' ? text : `[${kind} ${text}]`))
      .join('')

  it.each([
    ['welcome page:', '[key welcome page:]'],
    ['  - name: /srv/{{ grains.id }}/x', '  - [key name:] /srv/[jinja {{ grains.id }}]/x'],
    ["    - text: 'a: b' # why", "    - [key text:] [string 'a: b'] [comment # why]"],
    ['# all of it: a comment', '[comment # all of it: a comment]'],
    ['{% if a == "b" %}', '[jinja {% if a == "b" %}]'],
    ['color: a#b', '[key color:] a#b'],
    ['nothing here', 'nothing here'],
    ['', ''],
  ])('of %s', (line, expected) => {
    expect(shown(line)).toBe(expected)
    expect(
      highlight(line)
        .map(([, text]) => text)
        .join(''),
    ).toBe(line)
  })

  it('leave long lines plain', () => {
    const line = `key: ${'x'.repeat(5000)}`
    expect(highlight(line)).toEqual([['plain', line]])
  })
})
