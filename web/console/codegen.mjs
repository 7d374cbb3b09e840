import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { preset } from '@graphql-codegen/client-preset';
import { codegen } from '@graphql-codegen/core';
import { buildASTSchema, Kind, parse, visit } from 'graphql';

// Types of the console's operations, from the printed schema. An operation that the schema does not have ends this, and
// with it the build. The preset is run without codegen's own command, whose loaders need another @graphql-tools/utils
// than the service.

const HERE = import.meta.dirname;
const TARGET = join(HERE, 'generated/');
const OPERATION = /\bgraphql\(\s*`([^`]*)`\s*\)/g;

/** The operations that a file contains. @throws if one is not a plain text */
function operationsOf(file) {
  const text = readFileSync(file, 'utf8');
  const found = [...text.matchAll(OPERATION)].map(([, operation]) => operation);
  const calls = text.match(/\bgraphql\(/g)?.length ?? 0;
  if (calls !== found.length)
    throw new Error(`${relative(HERE, file)}: an operation is a text without parts`);
  return found.map((rawSDL) => ({ location: file, rawSDL, document: parse(rawSDL) }));
}

const files = readdirSync(HERE, { recursive: true })
  .filter(
    (name) => /\.tsx?$/.test(name) && !name.startsWith('generated') && !name.endsWith('operation-text.ts'),
  )
  .map((name) => join(HERE, name));
// The console takes an error of any field for one of the whole operation (api/client.ts).
const schema = visit(parse(readFileSync(join(HERE, '../../schema/schema.graphql'), 'utf8')), {
  FieldDefinition: (field) =>
    field.directives.some(({ name }) => name.value === 'semanticNonNull')
      ? { ...field, type: { kind: Kind.NON_NULL_TYPE, type: field.type } }
      : undefined,
});
const sections = await preset.buildGeneratesSection({
  baseOutputDir: TARGET,
  schema,
  schemaAst: buildASTSchema(schema),
  documents: files.flatMap(operationsOf),
  config: {
    scalars: {
      DateTime: 'string',
      JSONObject: 'Record<string, unknown>',
      SafeInt: 'number',
    },
    enumsAsTypes: true,
    useTypeImports: true,
    emitLegacyCommonJSImports: false,
  },
  presetConfig: { fragmentMasking: false },
  plugins: [],
  pluginMap: {},
  pluginContext: {},
});

rmSync(TARGET, { recursive: true, force: true });
for (const section of sections) {
  mkdirSync(dirname(section.filename), { recursive: true });
  writeFileSync(section.filename, await codegen(section));
}
