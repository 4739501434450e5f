import { describe, expect, test } from 'vitest'
import { slsContext } from './sls-context.ts'

/** tplfile, tpldir, tpldot, slspath, slsdotpath, slscolonpath, sls_path */
const shown = (path: string | undefined, sls: string): string => {
  const v = slsContext(path, sls)
  return [v.tplfile, v.tpldir, v.tpldot, v.slspath, v.slsdotpath, v.slscolonpath, v.sls_path]
    .map((x) => x ?? '-')
    .join('|')
}

describe('the place of an SLS', () => {
  test.each<[string | undefined, string, string]>([
    [undefined, 'a.b', '-|-|-|a/b|a.b|a:b|a_b'],
    ['/srv/a/b.sls', 'a.b', 'a/b.sls|a|a|a|a|a|a'],
    ['/srv/a/b/init.sls', 'a.b', 'a/b/init.sls|a/b|a.b|a/b|a.b|a:b|a_b'],
    ['/srv/b.sls', 'b', 'b.sls|.||||| '.trim()],
    ['//srv//a/./b.sls', 'a.b', 'a/b.sls|a|a|a|a|a|a'],
    ['/srv/files/app.conf', '', 'app.conf|.|||||'],
    ['/srv/y.conf', 'a.b.c', 'a.b.c|.|-|-|-|-|-'],
    ['/srv/y.conf', 'a/b/c.d', 'a/b/c.d|a/b|-|-|-|-|-'],
    ['/srv/b.sls', 'b.', 'b.sls|.|||||'],
  ])('%s as %j', (path, sls, wanted) => {
    expect(shown(path, sls)).toBe(wanted)
  })

  test('keeps the full path as tplpath', () => {
    expect(slsContext('/srv/a/b.sls', 'a.b').tplpath).toBe('/srv/a/b.sls')
  })
})
