// Converts S3's XML documents to and from the dicts of Salt's functions, whose names are those of Amazon's Python
// library.
import { type Dict, isDict, isList, parseXml, str, type Value, type XmlElement, xmlLine } from '../../../data/mod.ts'

/** Lists whose entries have no surrounding element. */
const FLAT: Readonly<Record<string, string>> = {
  CORSRules: 'CORSRule',
  AllowedHeaders: 'AllowedHeader',
  AllowedMethods: 'AllowedMethod',
  AllowedOrigins: 'AllowedOrigin',
  ExposeHeaders: 'ExposeHeader',
  Rules: 'Rule',
  Transitions: 'Transition',
  NoncurrentVersionTransitions: 'NoncurrentVersionTransition',
  TopicConfigurations: 'TopicConfiguration',
  QueueConfigurations: 'QueueConfiguration',
  LambdaFunctionConfigurations: 'CloudFunctionConfiguration',
  Events: 'Event',
  FilterRules: 'FilterRule',
  Objects: 'Object',
  Tags: 'Tag',
  Versions: 'Version',
  DeleteMarkers: 'DeleteMarker',
  Contents: 'Contents',
  Errors: 'Error',
}

/** Lists with a surrounding element. */
const WRAPPED: Readonly<Record<string, [around: string, entry: string]>> = {
  Grants: ['AccessControlList', 'Grant'],
  TargetGrants: ['TargetGrants', 'Grant'],
  TagSet: ['TagSet', 'Tag'],
  RoutingRules: ['RoutingRules', 'RoutingRule'],
  Buckets: ['Buckets', 'Bucket'],
}

const RENAMED: Readonly<Record<string, string>> = {
  TopicArn: 'Topic',
  QueueArn: 'Queue',
  LambdaFunctionArn: 'CloudFunction',
  MFADelete: 'MfaDelete',
}

const turned = (names: Readonly<Record<string, string>>): ReadonlyMap<string, string> =>
  new Map(Object.entries(names).map(([one, other]) => [other, one]))

const FLAT_BACK = turned(FLAT)
const RENAMED_BACK = turned(RENAMED)
const WRAPPED_BACK = new Map(Object.entries(WRAPPED).map(([name, [around]]) => [around, name]))

const NUMBERS = new Set(['Days', 'MaxAgeSeconds', 'NoncurrentDays', 'NewerNoncurrentVersions', 'Size', 'Priority'])
const FLAGS = new Set(['IsLatest', 'IsTruncated', 'ExpiredObjectDeleteMarker'])

const SCHEMA = 'http://www.w3.org/2001/XMLSchema-instance'

const written = (name: string, children: (XmlElement | string)[]): XmlElement => ({
  name,
  attributes: new Map(),
  children,
})

function elementsOf(name: string, value: Value): XmlElement[] {
  if (value === null) return []
  if (isList(value)) {
    const wrapped = WRAPPED[name]
    const entries = value.flatMap((entry) => elementsOf(wrapped?.[1] ?? FLAT[name] ?? name, entry))
    return wrapped === undefined ? entries : [written(wrapped[0], entries)]
  }
  if (!isDict(value)) return [written(RENAMED[name] ?? name, [typeof value === 'boolean' ? String(value) : str(value)])]
  const isGrantee = name === 'Grantee'
  const inside = [...value].filter(([key]) => !(isGrantee && key === 'Type'))
  const element = written(
    name === 'Key' ? 'S3Key' : name,
    inside.flatMap(([key, entry]) => elementsOf(str(key), entry)),
  )
  if (isGrantee) {
    element.attributes.set('xmlns:xsi', SCHEMA)
    element.attributes.set('xsi:type', str(value.get('Type') ?? 'CanonicalUser'))
  }
  return [element]
}

/** Return a dict as a document with the given root. */
export function documentOf(root: string, content: Dict): string {
  const [element] = elementsOf(root, content)
  element!.attributes.set('xmlns', 'http://s3.amazonaws.com/doc/2006-03-01/')
  return xmlLine(element!)
}

const localName = (name: string): string => name.slice(Math.max(name.indexOf('}'), name.indexOf(':')) + 1)

function contentOf(element: XmlElement): Value {
  const name = localName(element.name)
  const inside = element.children.filter((child) => typeof child !== 'string')
  if (inside.length > 0) return dictOf(element)
  const text = element.children.join('')
  if (NUMBERS.has(name) && /^-?\d+$/.test(text)) return Number(text)
  return FLAGS.has(name) ? text === 'true' : text
}

function dictOf(element: XmlElement): Dict {
  const dict: Dict = new Map()
  const parent = localName(element.name)
  const type = [...element.attributes].find(([key]) => localName(key) === 'type')?.[1]
  for (const child of element.children) {
    if (typeof child === 'string') continue
    const name = localName(child.name)
    const list = name === 'Tag' && parent !== 'And' ? undefined : FLAT_BACK.get(name)
    const wrapped = WRAPPED_BACK.get(name)
    if (wrapped !== undefined) {
      const entries = child.children.filter((entry) => typeof entry !== 'string')
      dict.set(wrapped, entries.map(contentOf))
    } else if (list !== undefined)
      dict.set(list, [...((dict.get(list) as Value[] | undefined) ?? []), contentOf(child)])
    else dict.set(name === 'S3Key' ? 'Key' : (RENAMED_BACK.get(name) ?? name), contentOf(child))
  }
  if (parent === 'Grantee' && type !== undefined) dict.set('Type', type)
  return dict
}

/** Return a document as a dict; a root with text only becomes an entry with its name. */
export function dictOfDocument(text: string): Dict {
  const root = parseXml(text)
  if (localName(root.name) !== 'LocationConstraint') return dictOf(root)
  return new Map([['LocationConstraint', root.children.join('').trim() || null]])
}
