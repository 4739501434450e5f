// The is… predicates of str. An empty text is of no kind, save where noted.
import { SPACE } from '../../data/mod.ts'

const ALL_LETTERS = /^\p{L}+$/u
const ALL_DECIMALS = /^\p{Nd}+$/u

/** Digits that are not decimals: superscripts, digits in circles and a few scripts. */
const OTHER_DIGITS =
  '\\u{b2}\\u{b3}\\u{b9}\\u{1369}-\\u{1371}\\u{19da}\\u{2070}\\u{2074}-\\u{2079}\\u{2080}-\\u{2089}\\u{2460}-\\u{2468}' +
  '\\u{2474}-\\u{247c}\\u{2488}-\\u{2490}\\u{24ea}\\u{24f5}-\\u{24fd}\\u{24ff}\\u{2776}-\\u{277e}\\u{2780}-\\u{2788}' +
  '\\u{278a}-\\u{2792}\\u{10a40}-\\u{10a43}\\u{10e60}-\\u{10e68}\\u{11052}-\\u{1105a}\\u{1f100}-\\u{1f10a}'

/** Ideographs for numbers; Unicode counts them as letters. */
const IDEOGRAPH_NUMBERS =
  '\\u{3405}\\u{3483}\\u{382a}\\u{3b4d}\\u{4e00}\\u{4e03}\\u{4e07}\\u{4e09}\\u{4e5d}\\u{4e8c}\\u{4e94}\\u{4e96}\\u{4ebf}' +
  '\\u{4ec0}\\u{4edf}\\u{4ee8}\\u{4f0d}\\u{4f70}\\u{5104}\\u{5146}\\u{5169}\\u{516b}\\u{516d}\\u{5341}\\u{5343}-\\u{5345}' +
  '\\u{534c}\\u{53c1}-\\u{53c4}\\u{56db}\\u{58f1}\\u{58f9}\\u{5e7a}\\u{5efe}\\u{5eff}\\u{5f0c}-\\u{5f0e}\\u{5f10}\\u{62fe}' +
  '\\u{634c}\\u{67d2}\\u{6f06}\\u{7396}\\u{767e}\\u{8086}\\u{842c}\\u{8cae}\\u{8cb3}\\u{8d30}\\u{9621}\\u{9646}\\u{964c}' +
  '\\u{9678}\\u{96f6}\\u{f96b}\\u{f973}\\u{f978}\\u{f9b2}\\u{f9d1}\\u{f9d3}\\u{f9fd}\\u{20001}\\u{20064}\\u{200e2}\\u{20121}' +
  '\\u{2092a}\\u{20983}\\u{2098c}\\u{2099c}\\u{20aea}\\u{20afd}\\u{20b19}\\u{22390}\\u{22998}\\u{23b1b}\\u{2626d}\\u{2f890}'

const ALL_SPACES = new RegExp(`^[${SPACE}]+$`)
const ALL_DIGITS = new RegExp(`^[\\p{Nd}${OTHER_DIGITS}]+$`, 'u')
const ALL_NUMERIC = new RegExp(`^[\\p{N}${IDEOGRAPH_NUMBERS}]+$`, 'u')

export const isAlpha = (text: string): boolean => ALL_LETTERS.test(text)
export const isDecimal = (text: string): boolean => ALL_DECIMALS.test(text)
export const isDigit = (text: string): boolean => ALL_DIGITS.test(text)
export const isNumeric = (text: string): boolean => ALL_NUMERIC.test(text)
export const isAlnum = (text: string): boolean => /^[\p{L}\p{N}]+$/u.test(text)
export const isAscii = (text: string): boolean => /^[\0-\x7f]*$/.test(text)
export const isIdentifier = (text: string): boolean => /^[\p{XID_Start}_]\p{XID_Continue}*$/u.test(text)
export const isPrintable = (text: string): boolean => !/[\p{C}\p{Z}]/u.test(text.replaceAll(' ', ''))
export const isSpace = (text: string): boolean => ALL_SPACES.test(text)

/** `str.istitle`: capitals only where a word begins, small letters only inside, and some letter at all. */
export function isTitle(text: string): boolean {
  let cased = false
  let inWord = false
  for (const char of text) {
    const upper = /[\p{Uppercase}\p{Lt}]/u.test(char)
    if (upper ? inWord : /\p{Lowercase}/u.test(char) && !inWord) return false
    inWord = upper || /\p{Lowercase}/u.test(char)
    cased ||= inWord
  }
  return cased
}
