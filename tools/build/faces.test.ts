// An import past a face names the file that declares a value.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { Faces } from './faces.ts'

const root = mkdtempSync(join(tmpdir(), 'brine-faces-'))
afterAll(() => rmSync(root, { recursive: true }))

const files = {
  'shop/mod.ts': `export { type Price, price } from './price.ts'
export { sold as gone } from './parts/mod.ts'
export * from './words.ts'
export const tax = 19
`,
  'shop/price.ts': 'export const price = 1\n',
  'shop/parts/sold.ts': 'export const sold = 1\n',
  'shop/parts/mod.ts': `export { sold } from './sold.ts'\n`,
  'shop/words.ts': `export const hello = 'hello'\nexport const tax = 7\nexport async function greet() {}\n`,
}
for (const [name, text] of Object.entries(files)) {
  mkdirSync(join(root, name, '..'), { recursive: true })
  writeFileSync(join(root, name), text)
}

const rewritten = (text: string): string => new Faces().rewritten(join(root, 'till/till.ts'), text)

test('a value comes from the file that declares it, through all faces between', () => {
  expect(rewritten(`import { gone as sold, type Price, price } from '../shop/mod.ts'\n`)).toBe(
    `import { sold as sold } from '../shop/parts/sold.ts'; import { price as price } from '../shop/price.ts';\n`,
  )
})

test('names of a starred file and of the face itself are found', () => {
  expect(rewritten(`import { greet, hello, tax } from '../shop/mod.ts'\n`)).toBe(
    `import { greet as greet, hello as hello } from '../shop/words.ts'; import { tax as tax } from '../shop/mod.ts';\n`,
  )
})

test('a name that no file declares is asked of the face, so that esbuild reports it', () => {
  expect(rewritten(`import { missing } from '../shop/mod.ts'\n`)).toContain(
    `import { missing as missing } from '../shop/mod.ts'`,
  )
})

test('a name that is given on comes from the file that declares it', () => {
  expect(rewritten(`export { price as cost, type Price } from '../shop/mod.ts'\n`)).toBe(
    `export { price as cost } from '../shop/price.ts';\n`,
  )
})

test('names of an import at the time of a call come from the files that declare them', () => {
  expect(rewritten(`const { gone, hello: word } = await import('../shop/mod.ts')\n`)).toBe(
    `const { sold: gone } = await import('../shop/parts/sold.ts'), { hello: word } = await import('../shop/words.ts')\n`,
  )
  expect(rewritten(`return (await import('../shop/mod.ts')).gone(1)\n`)).toBe(
    `return (await import('../shop/parts/sold.ts')).sold(1)\n`,
  )
})

test.each([
  `import type { Price } from '../shop/mod.ts'\n`,
  `import { price } from '../shop/price.ts'\n`,
  `import { join } from 'node:path'\n`,
  `const later = import('../shop/mod.ts')\n`,
])('other statements stay: %s', (text) => {
  expect(rewritten(text)).toBe(text)
})

test('an import keeps its number of lines', () => {
  const text = `import {\n  hello,\n  price,\n} from '../shop/mod.ts'\nexport const line = 5\n`
  expect(rewritten(text).split('\n').indexOf('export const line = 5')).toBe(4)
})
