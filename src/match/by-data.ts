// Matchers that look into grains, pillar and the minion's data store. A target without the delimiter matches nothing.
import {
  briefStr,
  contains,
  type Dict,
  fnmatch,
  isList,
  str,
  subdictMatch,
  textOf,
  truthy,
  typeError,
  typeName,
  type Value,
} from '../data/mod.ts'
import type { Matcher, MatchSubject } from './subject.ts'

interface Way {
  regex?: boolean
  exact?: boolean
}

function within(name: 'grains' | 'pillar', source: (subject: MatchSubject) => Dict, way: Way): Matcher {
  const kind = way.regex ? (name === 'grains' ? 'grains pcre' : 'pillar PCRE') : name
  return (target, subject, options = {}) => {
    const { delimiter = ':' } = options
    const expression = pathText(target)
    if (!expression.includes(delimiter)) {
      subject.log?.('error', `Got insufficient arguments for ${kind} match statement from master`)
      return false
    }
    return subdictMatch(source(subject), expression, { delimiter, ...way })
  }
}

function pathText(target: Value): string {
  const text = textOf(target)
  if (text === undefined) throw typeError(`argument of type '${typeName(target)}' is not iterable`)
  return text
}

const grainsOf = (subject: MatchSubject): Dict => subject.grains
const pillarOf = (subject: MatchSubject): Dict => subject.pillar

export const grain: Matcher = within('grains', grainsOf, {})
export const grainPcre: Matcher = within('grains', grainsOf, { regex: true })
export const pillar: Matcher = within('pillar', pillarOf, {})
export const pillarPcre: Matcher = within('pillar', pillarOf, { regex: true })
export const pillarExact: Matcher = within('pillar', pillarOf, { exact: true })

/** `key:glob`; text after a second colon is ignored. */
export const data: Matcher = (target, subject) => {
  const [key, pattern] = pathText(target).split(':')
  if (pattern === undefined) return false
  const found = subject.data?.get(key!) ?? null
  if (found === null) return false
  if (isList(found)) return found.some((member) => fnmatch(briefStr(member).toLowerCase(), pattern.toLowerCase()))
  return found instanceof Map ? contains(found, pattern) : fnmatch(str(found), pattern)
}

/** `type` or `type:id` of the resources that the minion manages. */
export const resource: Matcher = (target, subject) => {
  const name = pathText(target)
  const resources = subject.opts.get('resources')
  if (!(resources instanceof Map)) return false
  const colon = name.indexOf(':')
  if (colon < 0) return contains([...resources.keys()], name) && truthy(resources.get(name)!)
  const ids = resources.get(name.slice(0, colon))
  return ids !== undefined && contains(ids, name.slice(colon + 1))
}
