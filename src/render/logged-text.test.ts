import { expect, test } from 'vitest'
import { withoutValues } from './logged-text.ts'

test.each([
  ['a:\n  b: secret\n  c: [x, y]', 'a:\n  b: **********\n  c: **********'],
  ['- secret\n- name: secret\n', '**********\n- name: **********\n'],
  ["'a: b': secret\n{a: secret}", '**********\n**********'],
  [
    'url: http://u:p@h/\nkey: |\n  user: secret\n  last:\nafter: x',
    'url: **********\nkey: **********\n  **********\n  **********\nafter: **********',
  ],
  ['list:\n  - |\n    part: secret\n  - x: y', 'list:\n  **********\n    **********\n  - x: **********'],
])('YAML without its values shows of %j the keys alone', (text, shown) => {
  expect(withoutValues(text)).toBe(shown)
})
