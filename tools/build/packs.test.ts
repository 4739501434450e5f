// The parts of the built programs are in packs or in files of their own, and none is missing.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const folder = join(import.meta.dirname, '..', '..', 'dist', 'parts')
const packs = JSON.parse(readFileSync(join(folder, 'packs.json'), 'utf8')) as Record<string, string>
const files = readdirSync(folder).filter((name) => name.endsWith('.js'))

test('each part that a part names is in a pack or a file', () => {
  const names = files.flatMap((file) =>
    [...readFileSync(join(folder, file), 'utf8').matchAll(/\brequire\("\.\/([^"]+\.js)"\)/g)].map(([, name]) => name!),
  )
  expect(names.length).toBeGreaterThan(1000)
  expect([...new Set(names)].filter((name) => !files.includes(name) && packs[name] === undefined)).toEqual([])
})

test('each part is in one place, and each pack has the parts that the list says', () => {
  expect(Object.keys(packs).filter((part) => files.includes(part))).toEqual([])
  const missing = Object.entries(packs).filter(
    ([part, pack]) => !readFileSync(join(folder, pack), 'utf8').includes(`${JSON.stringify(part)}:function(`),
  )
  expect(missing).toEqual([])
})

test('what commands load together is in few files, with compiled forms', () => {
  const all = new Set(Object.values(packs))
  expect(all.size).toBeLessThan(60)
  expect(packs['salt-call.js']).toBeDefined()
  expect(readdirSync(folder)).toContain(`${packs['salt-call.js']}.code`)
})
