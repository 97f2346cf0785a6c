import hooks from "eslint-plugin-react-hooks";
import tseslint from "typescript-eslint";

// The directory of the tsconfig files with the path of the generated declarations.
const build = process.env.TSCONFIGS ?? `${import.meta.dirname}/../build/web`;

export default tseslint.config(
  { ignores: ["node_modules/"] },
  {
    files: ["src/**/*.{ts,tsx}", "test/**/*.ts"],
    extends: [tseslint.configs.recommendedTypeChecked],
    plugins: { "react-hooks": hooks },
    languageOptions: { parserOptions: { project: [`${build}/tsconfig.json`, `${build}/tsconfig.test.json`] } },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      "react-hooks/rules-of-hooks": "error",
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      // Parts of an object that a spread leaves out.
      "@typescript-eslint/no-unused-vars": ["error", { varsIgnorePattern: "^_", argsIgnorePattern: "^_" }],
      "@typescript-eslint/no-floating-promises": ["error", { allowForKnownSafeCalls: [{ from: "package", name: "test", package: "node:test" }] }],
    },
  },
);
