version 1.0

# A scatter over samples, each in one job. Run by miniwdl in tests/cluster, with this machine in place
# of a container, and never in one: that takes an image with virnucpro (packaging/virnucpro.def).

workflow virnucpro_samples {
  meta {
    description: "Tells viral from other sequences, sample by sample."
  }
  input {
    Array[File]+ reads_files
    Array[File]+ model_files
    String       data = "reads"
    String       docker
  }
  scatter (reads in reads_files) {
    call classify_virnucpro {
      input:
        reads       = reads,
        model_files = model_files,
        data        = data,
        docker      = docker
    }
  }
  output {
    Array[File]   sequences         = classify_virnucpro.sequences
    Array[File]   contigs           = select_all(classify_virnucpro.contigs)
    Array[File]   reports           = classify_virnucpro.report
    Array[File]   multiqc           = flatten(classify_virnucpro.multiqc)
    Array[String] virnucpro_version = classify_virnucpro.virnucpro_version
  }
}

task classify_virnucpro {
  input {
    File          reads
    Array[File]+  model_files
    String        sample_name = basename(basename(basename(reads, ".gz"), ".fastq"), ".fq")
    String        data = "reads"
    Array[String] options = ["-m", "300"]
    String        docker
    Int           cpu = 8
    Int           machine_mem_gb = 32
    Int           disk_gb = 100
    Int           gpus = 1
  }
  parameter_meta {
    model_files: { description: "The files of the published models, which virnucpro download fetches; they must have their names." }
    data: { description: "What the sequences are: reads or contigs. Contigs are called by the rule viral-ngs, which also makes contigs.tsv." }
    options: { description: "Options of virnucpro predict, each word by itself. A --rule among them goes before what follows from data." }
  }
  command <<<
    set -euo pipefail
    virnucpro --version | tee VERSION
    # Names and options are lines of files: in the text of the command a shell would run what they say.
    mapfile -t reads <"~{write_lines([reads])}"
    mapfile -t models <"~{write_lines(model_files)}"
    mapfile -t words <"~{write_lines(flatten([[sample_name, data], options]))}"
    if [ ${#reads[@]} -ne 1 ] || [ ${#models[@]} -ne ~{length(model_files)} ] ||
      [ ${#words[@]} -ne ~{2 + length(options)} ]; then
      echo 'virnucpro.wdl: a name or an option has more than one line' >&2
      exit 1
    fi
    # Ours stands before the user's own: of an option that is given twice, the last one counts.
    case ${words[1]} in
      reads) options=() ;;
      contigs) options=(--rule viral-ngs) ;;
      *)
        echo "virnucpro.wdl: data is reads or contigs, and not ${words[1]}" >&2
        exit 1
        ;;
    esac
    options+=("${words[@]:2}")
    mkdir models
    ln -s -- "${models[@]}" models/
    virnucpro predict "${reads[0]}" ${options[@]+"${options[@]}"} --models-dir models --name "${words[0]}" \
      --threads ~{cpu} --no-progress -o results
  >>>
  output {
    File   frames            = "results/~{sample_name}_merged/prediction_results.txt"
    File   chunks            = "results/~{sample_name}_merged/prediction_results_highestscore.csv"
    File   sequences         = "results/sequences.tsv"
    File?  contigs           = "results/contigs.tsv"
    File   report            = "results/report.html"
    # For `multiqc --fullnames`: without it MultiQC shortens the samples' names, and some become one.
    Array[File] multiqc      = [
      "results/virnucpro_mqc.json", "results/virnucpro_calls_mqc.json",
      "results/virnucpro_scores_mqc.tsv", "results/virnucpro_mqc_versions.yml"
    ]
    String virnucpro_version = read_string("VERSION")
  }
  runtime {
    docker: docker
    cpu: cpu
    memory: machine_mem_gb + " GB"
    disks: "local-disk " + disk_gb + " SSD"
    gpu: gpus > 0
    gpuCount: gpus
    maxRetries: 2
  }
}
