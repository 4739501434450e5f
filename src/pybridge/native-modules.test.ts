import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { repr } from '../data/mod.ts'
import type { Registry } from '../loader/mod.ts'
import { ModuleFolder } from './test-modules.test-support.ts'

const TYPED = `
import { arg, defineModule, reads } from 'brine/sdk'
import { greeting } from './_words.ts'

export default defineModule({
  name: 'typed',
  doc: 'A module with types.',
  functions: {
    greet: reads({
      doc: 'Greets.',
      args: { name: arg.string('Who', { default: 'world' }) },
      run: async (ctx, { name }: { name: string }) => ({ text: greeting(name), id: await ctx.call('test.echo', [ctx.grains.get('id')!]) }),
    }),
  },
})
`
const PLAIN = `
export function add(a, b = 2, ...more) { return a + b + more.length }
export async function who(this: unknown, name = 'x, "y"') { return [name, this.grains.get('id')] }
export const twice = (n: number): number => n * 2
`
/** The kinds of syntax that types leave at run time, and of imports and exports. */
const SYNTAX = `
import fs, { type Stats, existsSync } from 'node:fs'
import type { Nothing } from './_nowhere.ts'
import * as words from './_words.js'
import limits from './_limits.json'
import old from './_old.cjs'
export enum Color { Red = 'red', Blue = 'blue' }
abstract class Shape { constructor(protected readonly name: string, public sides?: number) {} }
class Square extends Shape { tell = (): string => this.name + this.sides!; static #secret = 1 }
const checked = { a: 1 } satisfies Record<string, number>
export default function unused(): Nothing | Stats | undefined { return undefined }
export const kinds = (): unknown[] => [Color.Red, new Square('q', 4).tell(), checked.a, <number>limits.most, old.one]
export const imports = async (): Promise<unknown[]> => {
  const { greeting } = await import('./_words.ts')
  return [greeting('a'), words.greeting === greeting, fs.existsSync === existsSync]
}
export * from './_words.ts'
export { kinds as species }
`
const STATE = `
export function present(name: string, value = 1) {
  return { name, result: this.test ? null : true, changes: { value }, comment: 'there' }
}
`

let folder: ModuleFolder
let functions: Registry

beforeAll(async () => {
  folder = new ModuleFolder()
  folder.write('modules/typed.ts', TYPED)
  folder.write('modules/_words.ts', 'export const greeting = (name: string): string => `hello ${name}`\n')
  folder.write('modules/plain.ts', PLAIN)
  folder.write(
    'modules/shared.ts',
    "import { twice } from '../_utils/numbers.ts'\nexport const four = () => twice(2)\n",
  )
  folder.write('utils/numbers.ts', 'export const twice = (n: number): number => n * 2\n')
  folder.write('modules/old.mjs', 'export const one = () => 1\n')
  folder.write('modules/wrong.ts', 'export const = 3\n')
  folder.write('modules/engine.ts', 'export const a = 1\n\nexport const b = () => { const a = 1; const a = 2 }\n')
  folder.write('modules/behind.ts', "import './_broken.ts'\n")
  folder.write('modules/_broken.ts', '\n\nexport const x: = 3\n')
  folder.write('modules/lost.ts', "\nimport { x } from './_gone.ts'\nexport const y = () => x\n")
  folder.write('modules/spaces.ts', '\nexport namespace Inner {\n  export const v = 1\n}\n')
  folder.write('modules/syntax.ts', SYNTAX)
  folder.write('modules/_limits.json', '{ "most": 7 }\n')
  folder.write('modules/_old.cjs', 'module.exports = { one: 1 }\n')
  folder.write('states/thing.ts', STATE)
  functions = await folder.registry()
})
afterAll(() => folder.remove())

describe("users' own TypeScript modules", () => {
  test.each([
    ['typed.greet', [], {}, "{'text': 'hello world', 'id': 'web1'}"],
    ['plain.add', [1], {}, '3'],
    ['plain.add', [1, 5, 0, 0], {}, '8'],
    ['plain.add', [], { a: 1, b: 1 }, '2'],
    ['plain.who', [], {}, `['x, "y"', 'web1']`],
    ['plain.twice', [4], {}, '8'],
    ['old.one', [], {}, '1'],
    ['shared.four', [], {}, '4'],
    ['syntax.kinds', [], {}, "['red', 'q4', 1, 7, 1]"],
    ['syntax.species', [], {}, "['red', 'q4', 1, 7, 1]"],
    ['syntax.imports', [], {}, "['hello a', True, True]"],
    ['syntax.greeting', ['b'], {}, "'hello b'"],
  ] as Array<[string, Array<number | string>, Record<string, number>, string]>)(
    '%s(%j)',
    async (name, args, kwargs, wanted) => {
      expect(repr(await functions.call(name, args, kwargs))).toBe(wanted)
    },
  )

  test.each([
    ['wrong.ts, line 1: Unexpected token'],
    ["engine.ts, line 3: Identifier 'a' has already been declared"],
    ['_broken.ts, line 3: Unexpected token'],
    ["lost.ts, line 2: Cannot find './_gone.ts', which "],
    ['spaces.ts, line 2: A namespace cannot be used here'],
  ])('that cannot be read are logged: %s', (text) => {
    expect(folder.lines.filter((line) => /^error: Cannot load /.test(line)).join('\n')).toContain(text)
  })

  test('give states', async () => {
    const states = functions.ctx.states
    expect(Object.keys((await states.load('thing'))!.functions)).toEqual(['present'])
  })

  test('are loaded again when their imports change', async () => {
    folder.write('modules/_words.ts', 'export const greeting = (name: string): string => `good morning, ${name}`\n')
    await functions.refresh()
    expect(repr(await functions.call('typed.greet'))).toContain('good morning, world')
  })

  test('leave nothing behind when they are loaded again', async () => {
    const { nativeModule } = await import('./native-modules.ts')
    const file = { name: 'heavy', path: `${folder.root}/modules/heavy.ts`, language: 'native' } as const
    const old: WeakRef<object>[] = []
    for (let round = 0; round < 5; round++) {
      folder.write(
        'modules/heavy.ts',
        `export const one = () => ${round}\nexport const more = "${'x'.repeat(round)}"\n`,
      )
      old.push(new WeakRef(await nativeModule(file)))
    }
    setFlagsFromString('--expose_gc')
    await expect
      .poll(() => {
        runInNewContext('gc')()
        return old.map((ref) => ref.deref() !== undefined)
      })
      .toEqual([false, false, false, false, true])
  })

  test('are loaded again when they change', async () => {
    folder.write('modules/plain.ts', 'export const twice = (n) => n * 3\n')
    await functions.refresh()
    expect(await functions.call('plain.twice', [4])).toBe(12)
  })
})
