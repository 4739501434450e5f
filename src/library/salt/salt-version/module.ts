// Code names of Salt's releases, for state trees that serve minions of several releases. Releases are named after the
// chemical elements in their order: with year and month up to Fluorine, with a number from Neon on.
import { SALT_VERSION } from '../../../base/mod.ts'
import { compareLoose, failure, PyObject, type Value } from '../../../data/mod.ts'
import { arg, defineModule, type FunctionDeclaration, reads } from '../../../sdk/mod.ts'

const DATED: Readonly<Record<string, string>> = {
  hydrogen: '2014.1',
  helium: '2014.7',
  lithium: '2015.5',
  beryllium: '2015.8',
  boron: '2016.3',
  carbon: '2016.11',
  nitrogen: '2017.7',
  oxygen: '2018.3',
  fluorine: '2019.2',
}

const FIRST_NUMBER = 3000

const NUMBERED = `neon sodium magnesium aluminium silicon phosphorus sulfur chlorine argon potassium calcium scandium
  titanium vanadium chromium manganese iron cobalt nickel copper zinc gallium germanium arsenic selenium bromine krypton
  rubidium strontium yttrium zirconium niobium molybdenum technetium ruthenium rhodium palladium silver cadmium indium tin
  antimony tellurium iodine xenon cesium barium lanthanum cerium praseodymium neodymium promethium samarium europium
  gadolinium terbium dysprosium holmium erbium thulium ytterbium lutetium hafnium tantalum tungsten rhenium osmium iridium
  platinum gold mercury thallium lead bismuth polonium astatine radon francium radium actinium thorium protactinium uranium
  neptunium plutonium americium curium berkelium californium einsteinium fermium mendelevium nobelium lawrencium
  rutherfordium dubnium seaborgium bohrium hassium meitnerium darmstadtium roentgenium copernicium nihonium flerovium
  moscovium livermorium tennessine oganesson`.split(/\s+/)

function releaseNumber(name: Value): string | null {
  if (name instanceof PyObject) name.truthy() // an undefined value says so itself
  if (typeof name !== 'string') throw failure("'name' argument must be a string")
  const word = name.toLowerCase()
  if (Object.hasOwn(DATED, word)) return DATED[word]!
  const at = NUMBERED.indexOf(word)
  return at < 0 ? null : String(FIRST_NUMBER + at)
}

/** Return a number below, at or above zero if this release is older than, the same as or newer than the named release. */
function compared(name: Value): number | undefined {
  const number = releaseNumber(name)
  return number === null ? undefined : compareLoose(SALT_VERSION.replace(/\.\d+$/, ''), number)
}

const args = { name: arg.any('Code name of a release as text; other types are refused') }

const comparing = (doc: string, example: string, wanted: number): FunctionDeclaration =>
  reads({ doc, example: `salt_version.${example}`, args, run: (_ctx, { name }) => compared(name) === wanted })

export default defineModule({
  name: 'salt_version',
  doc: 'Compare the version of Salt with releases by their code names.',
  functions: {
    get_release_number: reads({
      doc: 'Return the number of a release, or None for an unknown code name.',
      example: 'salt_version.get_release_number Sodium',
      args,
      run: (_ctx, { name }) => releaseNumber(name),
    }),
    equal: comparing('Return whether this is the named release.', 'equal Argon', 0),
    greater_than: comparing('Return whether this is a later release than the named release.', 'greater_than Sodium', 1),
    less_than: comparing(
      'Return whether this is an earlier release than the named release.',
      'less_than Potassium',
      -1,
    ),
  },
})
