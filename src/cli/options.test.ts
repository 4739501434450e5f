import { describe, expect, test } from 'vitest'
import { describeOptions, type Option, parseOptions, UsageError } from './options.ts'

const OPTIONS: Option[] = [
  { flags: ['-h', '--help'], help: 'Say this' },
  { flags: ['-o', '--out'], value: 'FORM', choices: ['yaml', 'json'], help: 'Form' },
  { flags: ['--output-file'], value: 'FILE', help: 'File' },
  { flags: ['-v', '--verbose'], help: 'More' },
]

const parse = (...argv: string[]) => {
  const { values, args } = parseOptions(OPTIONS, argv)
  return [Object.fromEntries(values), args]
}

describe('option parsing', () => {
  test.each<[string[], Record<string, string | true>, string[]]>([
    [[], {}, []],
    [['a', '--out', 'json', 'b'], { out: 'json' }, ['a', 'b']],
    [['--out=json'], { out: 'json' }, []],
    [['-ojson'], { out: 'json' }, []],
    [['-o', 'json'], { out: 'json' }, []],
    [['-vh'], { verbose: true, help: true }, []],
    [['-vo', 'yaml'], { verbose: true, out: 'yaml' }, []],
    [['--verb'], { verbose: true }, []],
    [['--output-file='], { 'output-file': '' }, []],
    [['--', '--out'], {}, ['--out']],
    [['-'], {}, ['-']],
    [['--out', 'json', '--out', 'yaml'], { out: 'yaml' }, []],
  ])('%j', (argv, values, args) => {
    expect(parse(...argv)).toEqual([values, args])
  })

  test.each<[string[], string]>([
    [['--nope'], 'no such option: --nope'],
    [['-x'], 'no such option: -x'],
    [['--out'], '--out option requires 1 argument'],
    [['--ou', 'json'], 'ambiguous option: --ou (--out, --output-file?)'],
    [['--help=yes'], '--help option does not take a value'],
    [['--out', 'xml'], "option --out: invalid choice: 'xml' (choose from 'yaml', 'json')"],
  ])('%j is refused', (argv, message) => {
    expect(() => parse(...argv)).toThrow(new UsageError(message))
  })
})

describe('option help', () => {
  test('lines up what fits and breaks what does not', () => {
    expect(describeOptions(OPTIONS.slice(0, 2))).toBe(
      '  -h, --help                Say this\n  -o FORM, --out=FORM       Form',
    )
    const long: Option = { flags: ['--a-very-long-option-name'], value: 'VALUE', help: 'Help' }
    expect(describeOptions([long])).toBe(`  --a-very-long-option-name=VALUE\n${' '.repeat(28)}Help`)
  })
})
