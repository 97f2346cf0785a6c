/** The worker of the page. */
import { regexImports } from "../wasm/regex.ts";
import { serve } from "./serving.ts";

serve(regexImports);
