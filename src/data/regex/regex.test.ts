import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { tuple, type Value } from '../value.ts'
import { RegexFlag } from './ast.ts'
import { compileRegex, reEscape } from './regex.ts'

const { IGNORECASE, MULTILINE, DOTALL, VERBOSE, ASCII } = RegexFlag

describe('a Python pattern', () => {
  it.each<[string, number, string, Array<string | null> | null]>([
    ['(?P<user>\\w+)@(?P<host>\\S+)', 0, 'to: jane@example.com!', ['jane@example.com!', 'jane', 'example.com!']],
    ['(?P<q>[\'"]).*?(?P=q)', 0, `say "it's"`, [`"it's"`, '"']],
    ['^b$', MULTILINE, 'a\nb\n', ['b']],
    ['^b$', MULTILINE, 'a\rb', null],
    ['a$', 0, 'ba\n', ['a']],
    ['a\\Z', 0, 'ba\n', null],
    ['a.b', 0, 'a\nb', null],
    ['a.b', DOTALL, 'a\nb', ['a\nb']],
    ['a.b', 0, 'a\rb', ['a\rb']],
    ['^.$', 0, '😀', ['😀']],
    ['\\d+', 0, 'x٣٤', ['٣٤']],
    ['\\d+', ASCII, 'x٣٤', null],
    ['\\bé\\b', 0, 'a é b', ['é']],
    ['\\B', 0, '', null],
    ['σ', IGNORECASE, 'ς', ['ς']],
    ['[a-z]', IGNORECASE, 'K', ['K']],
    ['(?i:a)b', 0, 'Ab AB', ['Ab']],
    ['(?i)a(?-i:b)', 0, 'AB Ab', ['Ab']],
    ['a b # comment\n c', VERBOSE, 'abc', ['abc']],
    ['a(?#comment)b', 0, 'ab', ['ab']],
    ['(?<=a{2})b', 0, 'ab aab', ['b']],
    ['[]a]+', 0, 'x]a]', [']a]']],
    ['[^\\Wa]', 0, '-ab', ['b']],
    ['[\\D5]+', 0, '1x5', ['x5']],
    ['x{,2}y', 0, 'xxxy', ['xxy']],
    ['a{', 0, 'a{', ['a{']],
    ['\\x41\\u00e9\\101\\07', 0, 'AéA\x07', ['AéA\x07']],
  ])('%s with flags %i on %j gives %j', (pattern, flags, text, expected) => {
    const match = compileRegex(pattern, flags).search(text)
    expect(match && [match.group(), ...match.groups()]).toEqual(expected)
  })

  it.each<[string, string, Array<string | null> | null]>([
    // groups keep the text of an earlier round
    ['(?:(a)|b)+', 'ab', ['ab', 'a']],
    ['((\\w)(=\\w)?,?)+', 'a=1,b', ['a=1,b', 'b', 'b', '=1']],
    // a round that matches nothing happens once
    ['(a*)*', 'aab', ['aa', '']],
    ['(?:|a)*', 'aa', ['']],
    // an unset group matches nowhere
    ['(?:(a)|b)\\1', 'bb', null],
    ['(<)?\\w+(?(1)>|$)', '<a> b', ['<a>', '<']],
    ['(<)?\\w+(?(1)>|$)', '<a', ['a', null]],
    ['(?>a+)ab', 'aaab', null],
    ['a++b', 'aab', ['aab']],
    ['(?:ab|a){2}+', 'aba', ['aba']],
    ['(a)(?i:\\1)', 'aA', ['aA', 'a']],
    ['(?<=(a))b', 'ab', ['b', 'a']],
    ['(?:(a)|b)*?c', 'abc', ['abc', 'a']],
  ])('%s on %j gives %j, as no RegExp would', (pattern, text, expected) => {
    const match = compileRegex(pattern).search(text)
    expect(match && [match.group(), ...match.groups()]).toEqual(expected)
  })

  it('survives long texts where RegExp cannot stand in', () => {
    const text = 'ab'.repeat(100_000)
    expect(compileRegex('(?:(a)|b)+').fullmatch(text)?.groups()).toEqual(['a'])
  })

  it.each([
    ['(', 'missing ), unterminated subpattern at position 0'],
    ['a)', 'unbalanced parenthesis at position 1'],
    ['*', 'nothing to repeat at position 0'],
    ['^*', 'nothing to repeat at position 1'],
    ['a**', 'multiple repeat at position 2'],
    ['[a', 'unterminated character set at position 0'],
    ['[z-a]', 'bad character range z-a at position 1'],
    ['a{2,1}', 'min repeat greater than max repeat at position 2'],
    ['\\', 'bad escape (end of pattern) at position 0'],
    ['\\q', 'bad escape \\q at position 0'],
    ['\\x4', 'incomplete escape \\x4 at position 0'],
    ['\\400', 'octal escape value \\400 outside of range 0-0o377 at position 0'],
    ['(a)\\2', 'invalid group reference 2 at position 4'],
    ['(a\\1)', 'cannot refer to an open group at position 2'],
    ['(?P<n>a)(?P<n>b)', "redefinition of group name 'n' as group 2; was group 1 at position 12"],
    ['(?P=x)', "unknown group name 'x' at position 4"],
    ['(?P<1>a)', "bad character in group name '1' at position 4"],
    ['(?P<n', 'missing >, unterminated name at position 4'],
    ['(?Px)', 'unknown extension ?Px at position 1'],
    ['(?<a)', 'unknown extension ?<a at position 1'],
    ['(?#a', 'missing ), unterminated comment at position 0'],
    ['(?<=a*)b', 'look-behind requires fixed-width pattern'],
    ['a(?i)b', 'global flags not at the start of the expression at position 1'],
    ['(?iz)', 'unknown flag at position 3'],
    ['(?i-i:a)', 'bad inline flags: flag turned on and off at position 5'],
    ['(?(1)a|b|c)', 'conditional backref with more than two branches at position 8'],
    ['(?(5)a)', 'invalid group reference 5 at position 3'],
    ['a\nb(', 'missing ), unterminated subpattern at position 3 (line 2, column 2)'],
    ['😀(', 'missing ), unterminated subpattern at position 1'],
  ])('%s is refused: %s', (pattern, message) => {
    expect(() => compileRegex(pattern)).toThrow(expect.objectContaining({ code: 're.error', message }))
  })

  it('reports patterns that it cannot translate', () => {
    expect(() => compileRegex('\\N{EM DASH}')).toThrow('\\N{EM DASH} in a regular expression is not supported')
  })
})

describe('PyRegex', () => {
  it('anchors match and fullmatch', () => {
    expect(compileRegex('a|ab').match('xab')).toBeNull()
    expect(compileRegex('a|ab').fullmatch('ab')?.group()).toBe('ab')
    expect(compileRegex('a$').fullmatch('a\n')).toBeNull()
  })

  it.each<[string, string, Value[]]>([
    ['\\d', 'a1b2', ['1', '2']],
    ['(\\w)=(\\d)?', 'a=1 b=', [tuple(['a', '1']), tuple(['b', ''])]],
    ['(a)|b', 'ab', ['a', '']],
    ['x*', 'axb', ['', 'x', '', '']],
  ])('findall of %s in %j', (pattern, text, expected) => {
    expect(compileRegex(pattern).findall(text)).toEqual(expected)
  })

  it.each<[string, string, number, Array<string | null>]>([
    ['[,;]\\s*', 'a, b;c', 0, ['a', 'b', 'c']],
    ['(,)|;', 'a,b;c', 0, ['a', ',', 'b', null, 'c']],
    ['', 'ab', 0, ['', 'a', 'b', '']],
    [',', 'a,b,c', 1, ['a', 'b,c']],
  ])('split of %s in %j at most %i times', (pattern, text, most, expected) => {
    expect(compileRegex(pattern).split(text, most)).toEqual(expected)
  })

  it.each([
    ['x*', '-', 'abxd', 0, '-a-b--d-'],
    ['(\\w+) (\\w+)', '\\2 \\g<1>\\n', 'a b', 0, 'b a\n'],
    ['(?P<n>a)|b', '[\\g<n>]', 'ab', 0, '[a][]'],
    ['a', 'x', 'aaa', 2, 'xxa'],
    ['.', '\\g<0>\\g<0>', '😀', 0, '😀😀'],
  ])('sub of %s by %s in %j', (pattern, replacement, text, most, expected) => {
    expect(compileRegex(pattern).sub(replacement, text, most)).toBe(expected)
  })

  it.each([
    ['\\1', 'invalid group reference 1 at position 1'],
    ['\\g<x>', "unknown group name 'x'"],
    ['\\g<', 'missing group name at position 3'],
    ['\\q', 'bad escape \\q at position 0'],
  ])('sub refuses the template %s', (template, message) => {
    expect(() => compileRegex('a').sub(template, '')).toThrow(message)
  })

  it('escapes any text so that it matches itself', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(compileRegex(reEscape(text)).fullmatch(text)?.group()).toBe(text)
        expect(
          compileRegex(reEscape(text), VERBOSE | IGNORECASE)
            .fullmatch(text)
            ?.group(),
        ).toBe(text)
      }),
    )
  })

  it('fails only with a PyError, for any pattern', () => {
    const piece = fc.constantFrom(...'()[]{}?*+|^$.\\-:=!<>#Piabc01,😀\n '.split(''))
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        try {
          compileRegex(pieces.join('')).search('ab01 😀\n')
        } catch (error) {
          expect(error).toHaveProperty('code')
        }
      }),
    )
  })
})

it('An expression that is too large for a matcher is refused as Python refuses it', () => {
  expect(() => compileRegex('not '.repeat(20_000)).match('web1')).toThrow('regular expression code size limit exceeded')
})
