import { afterEach, beforeAll, expect, test, vi } from 'vitest'

let routes: typeof import('./route.ts')

beforeAll(async () => {
  // the parts of a browser that the module looks at when it is loaded
  vi.stubGlobal('location', { hash: '#/minions/web1?tab=grains', href: '' })
  vi.stubGlobal('addEventListener', () => {})
  routes = await import('./route.ts')
  vi.unstubAllGlobals()
})
afterEach(() => vi.unstubAllGlobals())

test('reads the path and the parameters behind #', () => {
  const { path, query } = routes.readRoute('#/minions/web%2F1?q=a%3Fb&tab=grains')
  expect(path).toEqual(['minions', 'web/1'])
  expect(Object.fromEntries(query)).toEqual({ q: 'a?b', tab: 'grains' })
})

test('accepts a typed percent sign', () => {
  expect(routes.readRoute('#/minions/100%').path).toEqual(['minions', '100%'])
})

test('writes links that it reads again, without empty parameters', () => {
  const link = routes.href(['minions', 'a/b?c'], { q: 'x&y', state: '', more: null, all: false, limit: 5 })
  expect(link).toBe('#/minions/a%2Fb%3Fc?q=x%26y&limit=5')
  expect(routes.readRoute(link).path).toEqual(['minions', 'a/b?c'])
})

test('keeps the address of a link that was followed just before a parameter changes', () => {
  const shown: string[] = []
  vi.stubGlobal('location', { hash: '#/keys' })
  vi.stubGlobal('history', { replaceState: (_state: null, _title: string, target: string) => shown.push(target) })
  routes.setParams({ q: 'new' })
  expect(shown).toEqual(['#/keys?q=new'])
})
