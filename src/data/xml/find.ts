// `ElementTree.find`: the first element that a path leads to. A path has tags, `*`, `.`, `..`, `//` and predicates:
// `[@name]`, `[@name='x']`, `[tag]`, `[tag='x']`, `[.='x']`, `[2]` and `[last()]`.
import { PyError } from '../errors.ts'
import type { XmlElement } from './element.ts'

interface Found {
  element: XmlElement
  /** Ancestors from the root down, without the element itself. */
  above: readonly XmlElement[]
}

const isElement = (child: XmlElement | string): child is XmlElement => typeof child !== 'string'

const childrenOf = ({ element, above }: Found): Found[] =>
  element.children.filter(isElement).map((child) => ({ element: child, above: [...above, element] }))

const descendantsOf = (found: Found): Found[] => childrenOf(found).flatMap((child) => [child, ...descendantsOf(child)])

/** All text below an element. */
const textOf = ({ children }: XmlElement): string =>
  children.map((child) => (isElement(child) ? textOf(child) : child)).join('')

const parentOf = ({ above }: Found): Found[] => {
  const element = above.at(-1)
  return element === undefined ? [] : [{ element, above: above.slice(0, -1) }]
}

const named = (name: string) => (found: Found) => name === '*' || found.element.name === name

type Filter = (found: readonly Found[]) => Found[]

function positionFilter(text: string): Filter {
  const fromEnd = text === 'last()' ? 1 : /^last\(\)-(\d+)$/.exec(text)?.[1]
  if (fromEnd === undefined && Number(text) < 1) throw new PyError('Exception', 'XPath position >= 1 expected')
  const back = fromEnd === undefined ? undefined : fromEnd === 1 ? 0 : Number(fromEnd)
  return (found) =>
    found.filter(({ element, above }) => {
      const siblings = (above.at(-1)?.children ?? []).filter(isElement).filter(({ name }) => name === element.name)
      const wanted = back === undefined ? Number(text) - 1 : siblings.length - 1 - back
      return siblings[wanted] === element
    })
}

function predicate(text: string): Filter {
  const attribute = /^@([^=\s]+)\s*(?:(!?=)\s*(['"])(.*)\3)?$/s.exec(text)
  if (attribute) {
    const [, name, operator, , wanted] = attribute
    return (found) =>
      found.filter(({ element }) => {
        const value = element.attributes.get(name!)
        if (value === undefined) return false
        return operator === undefined || (operator === '=') === (value === wanted)
      })
  }
  const compared = /^(\.|[^=!\s]+)\s*(!?=)\s*(['"])(.*)\3$/s.exec(text)
  if (compared) {
    const [, name, operator, , wanted] = compared
    const holds = (element: XmlElement): boolean => (operator === '=') === (textOf(element) === wanted)
    return (found) =>
      found.filter(({ element }) =>
        name === '.'
          ? holds(element)
          : element.children.filter(isElement).some((child) => child.name === name && holds(child)),
      )
  }
  if (/^(\d+|last\(\)(-\d+)?)$/.test(text)) return positionFilter(text)
  if (/^[^@.=\s]+$/.test(text)) {
    return (found) =>
      found.filter(({ element }) => element.children.filter(isElement).some((child) => child.name === text))
  }
  throw new PyError('Exception', 'invalid predicate')
}

const STEP = /(\/\/|\/)?(\.\.|\.|\*|[^/[\]]+)?((?:\[[^\]]*\])*)/y

/** A leading slash means the root, as in trees of ElementTree. */
export function findXml(root: XmlElement, given: string): XmlElement | undefined {
  const path = given.startsWith('/') ? `.${given}` : given
  let found: Found[] = [{ element: root, above: [] }]
  STEP.lastIndex = 0
  while (STEP.lastIndex < path.length) {
    const [whole, slash, tag, predicates = ''] = STEP.exec(path) ?? ['']
    if (whole === '') throw new PyError('Exception', 'invalid path')
    if (tag === '..') found = found.flatMap(parentOf)
    else if (tag !== undefined && tag !== '.') {
      const step = slash === '//' ? descendantsOf : childrenOf
      found = found.flatMap(step).filter(named(tag))
    }
    for (const [, text] of predicates.matchAll(/\[([^\]]*)\]/g)) found = predicate(text!.trim())(found)
  }
  return found[0]?.element
}
