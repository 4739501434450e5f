// Parameters of the Systems Manager by Salt's names.
import { isDict, loadJson, markSecret, misuse, str, type Value } from '../../../data/mod.ts'
import { arg, changes, defineModule, type FunctionContext, reads, ret } from '../../../sdk/mod.ts'
import { AwsCaller } from '../common/caller.ts'
import { unlessFault } from '../common/errors.ts'
import { request } from '../common/json-request.ts'
import { type AwsLogin, LOGIN } from '../common/login.ts'

const NAME = arg.text('Name of the parameter')
const TYPES = ['String', 'StringList', 'SecureString']
const SECURE = 'SecureString'

const ssmOf = (ctx: FunctionContext, login: AwsLogin): AwsCaller => AwsCaller.of(ctx, 'ssm', login)

/** Return the result of a call; False, with a warning in the log, if AWS refuses with this code. */
const orFalse = <T>(ctx: FunctionContext, call: Promise<T>, code: string, warning: string): Promise<T | false> =>
  unlessFault(
    call,
    (): false => {
      ctx.log('warning', warning)
      return false
    },
    code,
  )

export default defineModule({
  name: 'boto_ssm',
  doc: 'Manage parameters of the Systems Manager.',
  functions: {
    get_parameter: reads({
      doc: 'Return the value of a parameter. A decrypted value is a secret: logs and results of states do not show it.',
      example: 'boto_ssm.get_parameter mypassword withdecryption=True',
      args: {
        name: NAME,
        withdecryption: arg.flag('Whether to decrypt a `SecureString`', { default: false }),
        resp_json: arg.flag('Whether the value is JSON, to be returned as data', { default: false }),
        ...LOGIN,
      },
      returns: ret.any('The value; False where there is no such parameter'),
      run: async (ctx, { name, withdecryption, resp_json, ...login }) => {
        const found = request(ssmOf(ctx, login), 'GetParameter', { Name: name, WithDecryption: withdecryption })
        const warning = `get_parameter: Unable to locate name: ${name}`
        const answer = await orFalse(ctx, found, 'ParameterNotFound', warning)
        const parameter: Value = answer === false ? null : (answer.get('Parameter') ?? null)
        if (!isDict(parameter)) return false
        const text = str(parameter.get('Value') ?? '')
        const value = resp_json ? loadJson(text) : text
        if (withdecryption && parameter.get('Type') === SECURE) for (const one of [text, value]) markSecret(one)
        return value
      },
    }),
    put_parameter: changes({
      doc: 'Set a parameter.',
      example: 'boto_ssm.put_parameter mypassword VALUE Type=SecureString KeyId=alias/aws/ssm',
      args: {
        Name: NAME,
        Value: arg.text('The value', { secret: true }),
        Description: arg.text('What it is for', { optional: true }),
        Type: arg.text('`String`, `StringList` or `SecureString`', { default: 'String' }),
        KeyId: arg.text('Key of KMS for a `SecureString`', { optional: true }),
        Overwrite: arg.flag('Whether a parameter that exists gets the value', { default: false }),
        AllowedPattern: arg.text('Regular expression that the value has to match', { optional: true }),
        ...LOGIN,
      },
      returns: ret.orFalse(ret.number('Version of the parameter')),
      run: async (ctx, { region, key, keyid, profile, ...content }) => {
        const { Type, KeyId, Value: value } = content
        if (!TYPES.includes(Type)) throw misuse('Type needs to be String|StringList|SecureString')
        if (Type === SECURE && !KeyId) throw misuse('Require KeyId with SecureString')
        if (Type === SECURE) markSecret(value)
        const put = request(ssmOf(ctx, { region, key, keyid, profile }), 'PutParameter', content)
        const warning =
          'The parameter already exists. To overwrite this value, set the Overwrite option in the request to True'
        const answer = await orFalse(ctx, put, 'ParameterAlreadyExists', warning)
        return answer === false ? false : Number(answer.get('Version') ?? 0)
      },
    }),
    delete_parameter: changes({
      doc: 'Delete a parameter.',
      example: 'boto_ssm.delete_parameter mypassword',
      args: { Name: NAME, ...LOGIN },
      returns: ret.boolean('Whether it was there'),
      run: async (ctx, { Name, ...login }) => {
        const gone = request(ssmOf(ctx, login), 'DeleteParameter', { Name }).then((): boolean => true)
        return orFalse(ctx, gone, 'ParameterNotFound', `delete_parameter: Unable to locate name: ${Name}`)
      },
    }),
  },
})
