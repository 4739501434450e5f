// Values and attributes in XML files. The file is written back as ElementTree writes it: without its declaration and
// its comments.
import { findXml, PyError, parseXml, str, type Value, type XmlElement, xmlLine } from '../../../data/mod.ts'
import { arg, changes, defineModule, type FunctionContext, reads } from '../../../sdk/mod.ts'

interface Opened {
  root: XmlElement
  found: XmlElement | undefined
}

async function open(ctx: FunctionContext, file: string, path: string): Promise<Opened> {
  const root = parseXml(Buffer.from(await ctx.host.read(file)).toString())
  const found = findXml(root, path)
  if (!found) ctx.log('error', `Unable to find element matching ${path}`)
  return { root, found }
}

/** Return the text before the first child of an element. */
function textOf({ children }: XmlElement): string | null {
  const [first] = children
  return typeof first === 'string' ? first : null
}

async function change(
  ctx: FunctionContext,
  { file, element }: { file: string; element: string },
  missing: string,
  apply: (found: XmlElement) => void,
): Promise<true> {
  const { root, found } = await open(ctx, file, element)
  if (!found) throw new PyError('AttributeError', `'NoneType' object has no attribute '${missing}'`)
  apply(found)
  await ctx.host.write(file, xmlLine(root))
  return true
}

function setText(found: XmlElement, value: Value): void {
  if (typeof found.children[0] === 'string') found.children.shift()
  found.children.unshift(str(value))
}

const place = {
  file: arg.string('Path of the file'),
  element: arg.string('XPath of the element'),
}
const value = arg.any('Value; another type than text is written as text')

export default defineModule({
  name: 'xml',
  doc: 'Read and change values and attributes in XML files.',
  functions: {
    get_value: reads({
      doc: 'Return the text of an element.',
      example: 'xml.get_value /tmp/test.xml ".//element"',
      args: place,
      run: async (ctx, { file, element }) => {
        const { found } = await open(ctx, file, element)
        return found ? textOf(found) : false
      },
    }),
    set_value: changes({
      doc: 'Set the text of an element.',
      example: 'xml.set_value /tmp/test.xml ".//element" "new value"',
      args: { ...place, value },
      run: (ctx, { value, ...where }) => change(ctx, where, 'text', (found) => setText(found, value)),
    }),
    get_attribute: reads({
      doc: 'Return the attributes of an element.',
      example: 'xml.get_attribute /tmp/test.xml ".//element[@id=\'3\']"',
      args: place,
      run: async (ctx, { file, element }) => {
        const { found } = await open(ctx, file, element)
        return found ? new Map<Value, Value>(found.attributes) : false
      },
    }),
    set_attribute: changes({
      doc: 'Set an attribute of an element.',
      example: 'xml.set_attribute /tmp/test.xml ".//element[@id=\'3\']" editedby "gal"',
      args: { ...place, key: arg.string('Name of the attribute'), value },
      run: (ctx, { key, value, ...where }) =>
        change(ctx, where, 'set', (found) => found.attributes.set(key, str(value))),
    }),
  },
})
