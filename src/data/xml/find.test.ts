import { expect, test } from 'vitest'
import { findXml } from './find.ts'
import { parseXml } from './parse.ts'

const ROOT = parseXml(
  '<c><u id="1"><n>ann</n></u><u id="2"><n>bob</n><x/></u><g><u id="3" admin="y"><n>eve</n></u></g></c>',
)

test.each([
  ['u', '1'],
  ['./u[2]', '2'],
  ['u[last()]', '2'],
  [".//u[@id='3']", '3'],
  ['.//u[@admin]', '3'],
  ["u[n='bob']", '2'],
  ['u[x]', '2'],
  ['g/u', '3'],
  ['*/u', '3'],
  ['.//x/..', '2'],
  ['/g/u', '3'],
  ['nosuch', undefined],
  ['u[9]', undefined],
])('%s leads to %s', (path, id) => {
  expect(findXml(ROOT, path)?.attributes.get('id')).toBe(id)
})
