{{- define "loadgen-operator.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride -}}
{{- else if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 53 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 53 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "loadgen-operator.selectorLabels" -}}
app.kubernetes.io/name: loadgen-operator
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "loadgen-operator.podLabels" -}}
{{ include "loadgen-operator.selectorLabels" . }}
app.kubernetes.io/part-of: loadgen-operator
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
{{- with merge dict .Values.podLabels .Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "loadgen-operator.labels" -}}
{{ include "loadgen-operator.selectorLabels" . }}
app.kubernetes.io/part-of: loadgen-operator
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- with .Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "loadgen-operator.serviceAccountName" -}}
{{- if .Values.serviceAccount.create -}}
{{- .Values.serviceAccount.name | default (include "loadgen-operator.fullname" .) -}}
{{- else -}}
{{- required "serviceAccount.create: false needs serviceAccount.name, the account that exists already" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{- /* The labels of all objects and some of one's own. Argument: a list of the root and these. */ -}}
{{- define "loadgen-operator.labelsWith" -}}
{{- merge (deepCopy (index . 1)) (include "loadgen-operator.labels" (index . 0) | fromYaml) | toYaml -}}
{{- end -}}

{{- /* An image's name, by the registry of all images if there is one. What stands before the first slash is a registry if
it has a dot or a port, as container engines read it. Argument: a list of the name and the root. */ -}}
{{- define "loadgen-operator.mirrored" -}}
{{- $name := index . 0 -}}
{{- with (index . 1).Values.global.imageRegistry -}}
{{- $parts := splitList "/" $name -}}
{{- $own := first $parts -}}
{{- if and (rest $parts) (or (contains "." $own) (contains ":" $own) (eq "localhost" $own)) -}}
{{- $name = rest $parts | join "/" -}}
{{- end -}}
{{- $name = printf "%s/%s" . $name -}}
{{- end -}}
{{- $name -}}
{{- end -}}

{{- /* The name of an image of ours. Argument: a list of the image's values and the root. */ -}}
{{- define "loadgen-operator.image" -}}
{{- $image := index . 0 -}}
{{- $root := index . 1 -}}
{{- $version := printf ":%s" ($image.tag | default $root.Chart.AppVersion) -}}
{{- if $image.digest -}}
{{- $version = printf "@%s" $image.digest -}}
{{- end -}}
{{- include "loadgen-operator.mirrored" (list (printf "%s%s" $image.repository $version) $root) -}}
{{- end -}}

{{- /* Names of the Secrets for all images, with commas between them. */ -}}
{{- define "loadgen-operator.pullSecrets" -}}
{{- $names := list -}}
{{- range .Values.global.imagePullSecrets -}}
{{- if kindIs "string" . -}}
{{- $names = append $names . -}}
{{- else -}}
{{- $names = append $names .name -}}
{{- end -}}
{{- end -}}
{{- $names | uniq | join "," -}}
{{- end -}}

{{- /* Where runners and servers are, for PodMonitors. */ -}}
{{- define "loadgen-operator.namespaceSelector" -}}
{{- if .Values.watch.namespaces -}}
namespaceSelector:
  matchNames:
  {{- range .Values.watch.namespaces }}
  - {{ . | quote }}
  {{- end }}
{{- else if not .Values.watch.ownNamespace -}}
namespaceSelector:
  any: true
{{- end -}}
{{- end -}}

{{- /* Who the roles are for. */ -}}
{{- define "loadgen-operator.subjects" -}}
- kind: ServiceAccount
  name: {{ include "loadgen-operator.serviceAccountName" . }}
  namespace: {{ .Release.Namespace }}
{{- end -}}

{{- /* Combinations that the schema cannot refuse with a cure. */ -}}
{{- define "loadgen-operator.check" -}}
{{- if not (and (hasKey .Values "engineImages") (hasKey .Values "monitoring")) -}}
{{- fail "the values are those of an older chart; upgrade with --reset-then-reuse-values instead of --reuse-values" -}}
{{- end -}}
{{- if and .Values.watch.ownNamespace .Values.watch.namespaces -}}
{{- fail "watch: ownNamespace and namespaces exclude each other; add the release's namespace to namespaces and remove ownNamespace" -}}
{{- end -}}
{{- $own := list "app.kubernetes.io/name" "app.kubernetes.io/instance" "app.kubernetes.io/part-of" "app.kubernetes.io/version" "app.kubernetes.io/managed-by" "helm.sh/chart" -}}
{{- $labelled := dict "commonLabels" .Values.commonLabels "podLabels" .Values.podLabels
    "monitoring.podMonitor.labels" .Values.monitoring.podMonitor.labels
    "monitoring.rules.labels" .Values.monitoring.rules.labels
    "monitoring.dashboard.labels" .Values.monitoring.dashboard.labels -}}
{{- range $value, $labels := $labelled -}}
{{- range $label, $text := $labels -}}
{{- if has $label $own -}}
{{- fail (printf "%s: %s is a label of the chart; use another" $value $label) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- $values := dict
    "LOADGEN_RUNNER_IMAGE" "runnerImage"
    "LOADGEN_VLLM_IMAGE" "engineImages.vllm"
    "LOADGEN_SGLANG_IMAGE" "engineImages.sglang"
    "LOADGEN_IMAGE_PULL_SECRETS" "global.imagePullSecrets"
    "LOADGEN_POD_USER" "podUser"
    "LOADGEN_NAMESPACES" "watch.namespaces"
    "LOADGEN_IMAGE_GRACE" "settings.imageGrace"
    "LOADGEN_RUNNER_START_TIMEOUT" "settings.runnerStartTimeout"
    "LOADGEN_KEEP_JOBS" "settings.keepJobs"
    "LOADGEN_EXTERNAL_HOSTS" "settings.externalHosts"
    "LOADGEN_POD_TEMPLATES" "settings.podTemplates"
    "NODE_ADDRESS" "no value, but from the node"
    "LOADGEN_LOG_FORMAT" "logFormat"
    "LOADGEN_HEALTH_PORT" "healthPort"
    "LOADGEN_LEADER_ELECTION" "replicas"
    "POD_NAMESPACE" "replicas" -}}
{{- range .Values.extraEnv -}}
{{- if hasKey $values .name -}}
{{- fail (printf "extraEnv: %s comes from the value %s; remove it and set that" .name (get $values .name)) -}}
{{- end -}}
{{- end -}}
{{- end -}}
