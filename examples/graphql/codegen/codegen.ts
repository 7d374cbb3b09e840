import type { CodegenConfig } from '@graphql-codegen/cli';

const config: CodegenConfig = {
  // Of a running service: 'http://localhost:3000/graphql'.
  schema: '../../../schema/schema.graphql',
  documents: 'main.ts',
  generates: {
    'generated/': {
      preset: 'client',
      presetConfig: { fragmentMasking: false },
      config: {
        documentMode: 'string',
        useTypeImports: true,
        emitLegacyCommonJSImports: false,
        // Any other scalar than these would end the run.
        strictScalars: true,
        scalars: {
          ConfigurationJSON: 'Record<string, unknown>',
          DateTime: 'string',
          JSONObject: 'Record<string, unknown>',
          PathStep: 'string | number',
          SafeInt: 'number',
        },
      },
    },
  },
};

export default config;
