import { describe, expect, test } from 'vitest'
import { unifiedDiff } from './difflib.ts'

const lines = (text: string): string[] => text.split('').map((char) => `${char}\n`)
const diff = (a: string[], b: string[], context = 3): string => unifiedDiff(a, b, { context }).join('')

describe('unifiedDiff', () => {
  test.each<[string, string, number, string]>([
    ['abc', 'abc', 3, ''],
    ['abc', 'aBc', 3, '--- \n+++ \n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n'],
    ['', 'ab', 3, '--- \n+++ \n@@ -0,0 +1,2 @@\n+a\n+b\n'],
    ['ab', '', 3, '--- \n+++ \n@@ -1,2 +0,0 @@\n-a\n-b\n'],
    ['abcdefghij', 'bcdefghijk', 1, '--- \n+++ \n@@ -1,2 +1 @@\n-a\n b\n@@ -10 +9,2 @@\n j\n+k\n'],
    ['abc', 'cab', 0, '--- \n+++ \n@@ -0,0 +1 @@\n+c\n@@ -3 +3,0 @@\n-c\n'],
  ])('turns %j into %j with %i lines around', (a, b, context, wanted) => {
    expect(diff(lines(a), lines(b), context)).toBe(wanted)
  })

  test('takes no popular line of a long text as an anchor', () => {
    const long = Array.from({ length: 210 }, (_, i) => (i % 2 === 0 ? 'same\n' : `${i}\n`))
    const moved = ['same\n', 'new\n', ...long.slice(2)]
    expect(diff(long, moved)).toBe('--- \n+++ \n@@ -1,5 +1,5 @@\n same\n-1\n+new\n same\n 3\n same\n')
  })
})
