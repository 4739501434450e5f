import { afterEach, beforeEach, expect, test } from 'vitest'
import { PackageFolder, SERIALIZER } from '../../test/extensions/packages.ts'
import { fromPlain, toPlain, type Value } from '../data/mod.ts'
import { ownPlugin } from './mod.ts'
import { ModuleFolder } from './test-modules.test-support.ts'

let packages: PackageFolder
let folder: ModuleFolder

beforeEach(() => {
  packages = new PackageFolder()
  packages.use()
  folder = new ModuleFolder()
})
afterEach(() => {
  packages.remove()
  folder.remove()
})

const registry = () => folder.registry({ ownPlugin: ({ ctx }, family, name) => ownPlugin(ctx, family, name) })

test('A format of an extension serves functions, templates and Python modules', async () => {
  packages.install('paired', { 'serializers/pairs.py': SERIALIZER })
  const text = `
def both(value):
    text = __serializers__["pairs.serialize"](value, sign="-")
    return [text, __serializers__["json.deserialize"]('{"a": 1}'), "nothing.serialize" in __serializers__]
`
  folder.write('modules/mine.py', text)
  const functions = await registry()
  const data = fromPlain({ b: 2, a: 'x' })
  expect(await functions.call('slsutil.serialize', ['pairs', data], new Map([['sign', '-']]))).toBe('-a=x\n-b=2')
  expect(toPlain((await functions.call('slsutil.deserialize', ['pairs', 'a=1\nb=2'])) as Value)).toEqual({
    a: '1',
    b: '2',
  })
  expect(toPlain((await functions.call('mine.both', [data])) as Value)).toEqual(['-a=x\n-b=2', { a: 1 }, false])
  await expect((async () => functions.call('slsutil.deserialize', ['pairs', 'x']))()).rejects.toThrow('no pairs')
  await expect((async () => functions.call('slsutil.serialize', ['pears', data]))()).rejects.toThrow(
    "Serializer 'pears' not found.",
  )
})

test("A user's own format precedes the built-in one, and may lack a direction", async () => {
  folder.write('serializers/json.py', 'def serialize(obj, **options):\n    return "mine"\n')
  const functions = await registry()
  expect(await functions.call('slsutil.serialize', ['json', new Map()])).toBe('mine')
  await expect((async () => functions.call('slsutil.deserialize', ['json', '{}']))()).rejects.toThrow(
    "Serializer 'json' does not implement deserialize.",
  )
})
